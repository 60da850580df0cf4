//! The programs whose memory is emulated.

use std::sync::Arc;

use memlens_params::Values;
use memlens_rank::AnyPipeline;
use memlens_retrieve::{RetrieveError, Retriever};

use crate::openclaw::{self, Chunking, Edition};
use crate::{AgentNote, Embed, Vectors, basic_memory, openviking, qmd};

/// A program, in one version of its search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Program {
    /// OpenClaw, in one of its editions.
    OpenClaw(Edition),
    /// qmd, in version 2.8 of its search.
    Qmd,
    /// OpenViking, in version 0.5 of its search.
    OpenViking,
    /// basic-memory, in version 0.24 of its search.
    BasicMemory,
}

impl Program {
    /// All programs, the newest edition of each first.
    pub const ALL: [Program; 6] = [
        Program::OpenClaw(Edition::V2026_8),
        Program::OpenClaw(Edition::V2026_7),
        Program::OpenClaw(Edition::V2026_2),
        Program::Qmd,
        Program::OpenViking,
        Program::BasicMemory,
    ];

    /// Returns the program whose sets a pipeline ranks; `None` if it is not an emulated program.
    pub fn ranked_by(pipeline: &dyn AnyPipeline) -> Option<Program> {
        let is_it = |program: &Program| program.pipeline().id() == pipeline.id();
        Program::ALL.into_iter().find(is_it)
    }

    /// Returns the pipeline of the program.
    pub fn pipeline(self) -> &'static dyn AnyPipeline {
        match self {
            Program::OpenClaw(edition) => edition.pipeline(),
            Program::Qmd => &qmd::V2_8,
            Program::OpenViking => &openviking::V0_5,
            Program::BasicMemory => &basic_memory::V0_24,
        }
    }

    /// Returns the program's id in the catalogue of agents.
    pub fn agent(self) -> &'static str {
        match self {
            Program::OpenClaw(_) => "openclaw",
            Program::Qmd => "qmd",
            Program::OpenViking => "openviking",
            Program::BasicMemory => "basic-memory",
        }
    }

    /// Returns the texts that it would embed with these parameters, in order.
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

    /// Creates its memory of notes.
    ///
    /// # Errors
    /// [`RetrieveError::Outside`] if SQLite returns an error.
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

/// The input from which a program's memory is built.
pub struct MadeOf {
    /// The parameters by which notes are cut.
    pub params: Values,
    /// The notes, with the paths that the program gives them.
    pub notes: Vec<AgentNote>,
    /// The vectors of [`Program::chunk_texts`], or why there are none.
    pub vectors: Result<Vectors, String>,
    /// The function that embeds a question.
    pub embed: Embed,
    /// The moment for the age of notes.
    pub now_ms: i64,
    /// The generation of the library.
    pub generation: u64,
    /// Remarks to show with every answer.
    pub remarks: Vec<String>,
}
