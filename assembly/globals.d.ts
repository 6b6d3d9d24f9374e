/** The assembler's types, for the TypeScript compiler. A v128 holds one number there, or what a comparison says. */
declare type usize = number;
declare type i32 = number;
declare type u32 = number;
declare type f64 = number;
declare type bool = boolean;
declare type v128 = number;
