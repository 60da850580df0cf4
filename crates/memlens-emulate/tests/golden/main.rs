//! Compares every emulated program with the results of its published package for the same notes and vectors.

mod basic_memory;
mod given;
mod hindsight;
mod openclaw;
mod openviking;
mod qmd;
mod strange;
