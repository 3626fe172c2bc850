// Recurrence (docs/arithmetic.md): states of cells from step to step. What each element becomes is
// generated; a launch has a part of one step. States, and what a part hands on, are bits of FLOAT32
// without gaps: one after the other, each of `count` elements, unit by unit of one sequence by one.

static uint canonical(uint bits) { return is_nan(bits) ? QUIET_NAN : bits; }
#define ELEMENT(X, x, at) canonical(READ_BITS(X, BASE(x), at))

#ifdef HIDDEN
// States before the first step; zeros where they are left out.
kernel void start_states(VIEW(hidden), long hidden_at_, long hidden_row, long hidden_unit,
                         VIEW(memory), long memory_at_, long memory_row, long memory_unit,
                         global uint *states, int count_of_states, int units, int count) {
    const int i = (int)get_global_id(0), unit = i % units, row = i / units;
    if (i >= count) return;
    states[i] = hidden ? ELEMENT(HIDDEN, hidden, hidden_at_ + row * hidden_row + unit * hidden_unit) : 0;
    if (count_of_states == 1) return;
    states[count + i] =
        memory ? ELEMENT(MEMORY, memory, memory_at_ + row * memory_row + unit * memory_unit) : 0;
}
#endif

#ifdef LAST
kernel void put_state(VIEW(last), long place, long last_row, long last_unit,
                      global const uint *states, int number, int units, int count) {
    const int i = (int)get_global_id(0), unit = i % units, row = i / units;
    if (i >= count) return;
    JOIN(put_, LAST)(BASE(last), place + row * last_row + unit * last_unit, states[number * count + i]);
}
#endif

#ifdef WEIGHTS
// The product of a sequence's state with a column, by rule C256.
static uint column_product(global const uint *state, Source weights, long at, long distance, int units) {
    float total = -0.0f;
    for (int k = 0; k < units;) {
        float chain = 0;
        for (const int end = min(k + 256, units); k < end; ++k, at += distance) {
            chain = fused(number(state[k]), READ_SINGLE(WEIGHTS, weights, at), chain);
        }
        total = added(total, chain);
    }
    return quiet(total);
}
#endif
