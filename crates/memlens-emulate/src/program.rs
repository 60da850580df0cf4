//! The programs whose memory is emulated.

use std::sync::Arc;

use memlens_params::Values;
use memlens_rank::AnyPipeline;
use memlens_retrieve::{RetrieveError, Retriever};

use crate::openclaw::{self, Chunking, Edition};
use crate::{AgentNote, Embed, Vectors, basic_memory, openviking, qmd};

/// A program, in a version of its own way to search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Program {
    /// OpenClaw, by its edition.
    OpenClaw(Edition),
    /// qmd 2.8.
    Qmd,
    /// OpenViking 0.5.
    OpenViking,
    /// basic-memory 0.24.
    BasicMemory,
}

impl Program {
    /// Every program, the newest edition of each first.
    pub const ALL: [Program; 6] = [
        Program::OpenClaw(Edition::V2026_8),
        Program::OpenClaw(Edition::V2026_7),
        Program::OpenClaw(Edition::V2026_2),
        Program::Qmd,
        Program::OpenViking,
        Program::BasicMemory,
    ];

    /// The program whose sets a pipeline ranks; none where it is no emulated one.
    pub fn ranked_by(pipeline: &dyn AnyPipeline) -> Option<Program> {
        let is_it = |program: &Program| program.pipeline().id() == pipeline.id();
        Program::ALL.into_iter().find(is_it)
    }

    /// Its pipeline.
    pub fn pipeline(self) -> &'static dyn AnyPipeline {
        match self {
            Program::OpenClaw(edition) => edition.pipeline(),
            Program::Qmd => &qmd::V2_8,
            Program::OpenViking => &openviking::V0_5,
            Program::BasicMemory => &basic_memory::V0_24,
        }
    }

    /// Its id in the catalogue of agents.
    pub fn agent(self) -> &'static str {
        match self {
            Program::OpenClaw(_) => "openclaw",
            Program::Qmd => "qmd",
            Program::OpenViking => "openviking",
            Program::BasicMemory => "basic-memory",
        }
    }

    /// The texts that it would embed by these parameters, in their order.
    pub fn chunk_texts(self, notes: &[AgentNote], params: &Values) -> Vec<String> {
        match self {
            Program::OpenClaw(edition) => {
                openclaw::Memory::chunk_texts(edition, Chunking::of(params), notes)
            }
            Program::Qmd => qmd::Memory::chunk_texts(notes),
            Program::OpenViking => openviking::Memory::chunk_texts(notes),
            Program::BasicMemory => basic_memory::Memory::chunk_texts(notes),
        }
    }

    /// Its memory of notes. `vectors` are those of [`Program::chunk_texts`], or why there are none; the remarks are what a person
    /// should know of every answer.
    ///
    /// # Errors
    /// [`RetrieveError::Outside`] where SQLite refuses.
    pub fn memory(self, made_of: MadeOf) -> Result<Arc<dyn Retriever>, RetrieveError> {
        let MadeOf {
            params,
            notes,
            vectors,
            embed,
            now_ms,
            generation,
            remarks,
        } = made_of;
        Ok(match self {
            Program::OpenClaw(edition) => {
                let chunking = Chunking::of(&params);
                let memory = openclaw::Memory::new(
                    edition, chunking, notes, vectors, embed, now_ms, generation,
                )?;
                Arc::new(memory.with_remarks(remarks))
            }
            Program::Qmd => {
                let memory = qmd::Memory::new(notes, vectors, embed, generation)?;
                Arc::new(memory.with_remarks(remarks))
            }
            Program::OpenViking => {
                let memory = openviking::Memory::new(notes, vectors, embed, now_ms, generation);
                Arc::new(memory.with_remarks(remarks))
            }
            Program::BasicMemory => {
                let memory = basic_memory::Memory::new(notes, vectors, embed, generation)?;
                Arc::new(memory.with_remarks(remarks))
            }
        })
    }
}

/// What a program's memory is made of.
pub struct MadeOf {
    /// The parameters by which notes are cut.
    pub params: Values,
    /// The notes, by the paths that the program gives them.
    pub notes: Vec<AgentNote>,
    /// The vectors of what it embeds, or why there are none.
    pub vectors: Result<Vectors, String>,
    /// How a question is embedded.
    pub embed: Embed,
    /// The moment at which notes are so and so old.
    pub now_ms: i64,
    /// The library's.
    pub generation: u64,
    /// What a person should know of every answer.
    pub remarks: Vec<String>,
}
