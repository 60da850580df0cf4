//! Every emulated program against what its published package returned on the same notes and vectors.

mod basic_memory;
mod given;
mod hindsight;
mod openclaw;
mod openviking;
mod qmd;
mod strange;
