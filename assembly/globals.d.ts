/** The assembler's types, declared for the TypeScript compiler. There a v128 holds one number, or the boolean of a comparison. */
declare type usize = number;
declare type i32 = number;
declare type u32 = number;
declare type f64 = number;
declare type bool = boolean;
declare type v128 = number;
