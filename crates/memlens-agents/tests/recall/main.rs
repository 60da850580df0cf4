//! Each agent's logs in a made-up home: what they tell, and what bad ones do.

mod openclaw;
mod support;
