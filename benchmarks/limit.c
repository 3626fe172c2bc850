/* The limit of a fill: the C library's memset, from as many threads, or again and again. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define MAX_THREADS 1024
#define CACHE_LINE 64

struct share {
    unsigned char *data;
    size_t size;
    int value;
};

static void *set_share(void *argument) {
    const struct share *share = argument;
    memset(share->data, share->value, share->size);
    return NULL;
}

/* Sets `size` bytes from `threads` threads, which live as long as the call. Returns 0, or an error
   number where a thread could not be started. */
int limit_memset_threads(void *data, int value, size_t size, int threads) {
    pthread_t handles[MAX_THREADS];
    struct share shares[MAX_THREADS];
    size_t each;
    int started = 1, error = 0, k;
    if (threads < 1 || threads > MAX_THREADS) return -1;
    each = (size / threads + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    for (k = 0; k < threads; ++k) {
        const size_t first = each * k < size ? each * k : size;
        const size_t rest = size - first;
        shares[k].data = (unsigned char *)data + first;
        shares[k].size = k + 1 < threads && each < rest ? each : rest;
        shares[k].value = value;
    }
    for (; started < threads && error == 0; ++started) {
        error = pthread_create(&handles[started], NULL, set_share, &shares[started]);
    }
    if (error != 0) --started;
    set_share(&shares[0]);
    for (k = 1; k < started; ++k) pthread_join(handles[k], NULL);
    return error;
}

/* Sets the same `size` bytes `times` times from this thread. */
void limit_memset_repeat(void *data, int value, size_t size, size_t times) {
    while (times-- > 0) {
        memset(data, value, size);
        __asm__ volatile("" : : "r"(data) : "memory"); /* or all but one could be left out */
    }
}
