//! Builds a table: one line per parameter, from which [`parameters!`](crate::parameters) generates the struct and the
//! table.

use crate::{Needs, ParameterKind, Value};

/// A field of a typed set, which converts to and from a [`Value`].
pub trait Field: Sized {
    /// Returns the field as a value.
    fn to_value(&self) -> Value;
    /// Returns the field of a value that has passed [`Parameter::check`](crate::Parameter::check); `None` for a value
    /// of another kind.
    fn from_value(value: &Value) -> Option<Self>;
}

impl Field for bool {
    fn to_value(&self) -> Value {
        Value::Toggle(*self)
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Toggle(on) = value {
            Some(*on)
        } else {
            None
        }
    }
}

impl Field for u32 {
    fn to_value(&self) -> Value {
        Value::Number(f64::from(*self))
    }
    fn from_value(value: &Value) -> Option<Self> {
        // Whole and within the range of the table, which is within u32.
        if let Value::Number(number) = value {
            Some(*number as u32)
        } else {
            None
        }
    }
}

impl Field for f64 {
    fn to_value(&self) -> Value {
        Value::Number(*self)
    }
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Number(number) = value {
            Some(*number)
        } else {
            None
        }
    }
}

impl Field for Option<f64> {
    fn to_value(&self) -> Value {
        self.map_or(Value::Unset, Value::Number)
    }
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Number(number) => Some(Some(*number)),
            Value::Unset => Some(None),
            Value::Toggle(_) | Value::Choice(_) => None,
        }
    }
}

/// Defines an enum whose variants have words, for files and for display.
#[macro_export]
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// The words of all variants, in the order in which they are offered.
            pub const OPTIONS: &'static [&'static str] = &[$($word),+];

            /// Returns the word of the choice.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl $crate::make::Field for $name {
            fn to_value(&self) -> $crate::Value {
                $crate::Value::Choice(self.as_str().to_owned())
            }
            fn from_value(value: &$crate::Value) -> Option<Self> {
                match value {
                    $($crate::Value::Choice(word) if word == $word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

/// A number in a range, with the step of its slider.
pub const fn number(min: f64, max: f64, step: f64) -> ParameterKind {
    ParameterKind::Number {
        min,
        max,
        step,
        integer: false,
        off: None,
        optional: false,
        log: false,
    }
}

/// A whole number in a range, with the step of its slider.
pub const fn whole(min: u32, max: u32, step: u32) -> ParameterKind {
    ParameterKind::Number {
        min: min as f64,
        max: max as f64,
        step: step as f64,
        integer: true,
        off: None,
        optional: false,
        log: false,
    }
}

/// Marks the value that switches off what the parameter controls.
pub const fn off_at(kind: ParameterKind, value: f64) -> ParameterKind {
    match kind {
        ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off: _,
            optional,
            log,
        } => ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off: Some(value),
            optional,
            log,
        },
        ParameterKind::Choice { .. } | ParameterKind::Toggle => kind,
    }
}

/// Also accepts `none`, which means that nothing is set.
pub const fn optional(kind: ParameterKind) -> ParameterKind {
    match kind {
        ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off,
            optional: _,
            log,
        } => ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off,
            optional: true,
            log,
        },
        ParameterKind::Choice { .. } | ParameterKind::Toggle => kind,
    }
}

/// Gives small values more room on the slider.
pub const fn log(kind: ParameterKind) -> ParameterKind {
    match kind {
        ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off,
            optional,
            log: _,
        } => ParameterKind::Number {
            min,
            max,
            step,
            integer,
            off,
            optional,
            log: true,
        },
        ParameterKind::Choice { .. } | ParameterKind::Toggle => kind,
    }
}

/// Names the choices of another parameter with which a parameter is used.
pub const fn needs(parameter: &'static str, one_of: &'static [&'static str]) -> Option<Needs> {
    Some(Needs { parameter, one_of })
}

/// Defines a struct with a field per parameter, and its table.
///
/// `prefix` precedes every id (`""` for Memlens's own, `"openclaw."` for another program's), so that no two pipelines
/// share an id. `rules` are those that involve several parameters. A line is `field: type = default, stage, phase,
/// label, unit, kind, needs, sentence;`.
#[macro_export]
macro_rules! parameters {
    (
        $(#[$meta:meta])* pub struct $name:ident;
        prefix $prefix:literal; stages $stages:expr; rules $rules:expr;
        $($id:ident: $type:ty = $default:expr, $stage:expr, $phase:ident, $label:literal, $unit:expr, $kind:expr, $needs:expr, $sentence:literal;)+
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name {
            $(#[doc = $sentence] pub $id: $type,)+
        }

        impl Default for $name {
            fn default() -> Self {
                $name { $($id: $default,)+ }
            }
        }

        impl $name {
            /// Returns the table of these parameters.
            pub fn parameters() -> &'static $crate::Table {
                static TABLE: std::sync::LazyLock<$crate::Table> = std::sync::LazyLock::new(|| {
                    let defaults = $name::default();
                    $crate::Table {
                        parameters: vec![$($crate::Parameter {
                            id: concat!($prefix, stringify!($id)),
                            stage: $stage,
                            phase: $crate::Phase::$phase,
                            label: $label,
                            unit: $unit,
                            kind: $kind,
                            default: $crate::make::Field::to_value(&defaults.$id),
                            sentence: $sentence,
                            needs: $needs,
                        },)+],
                        stages: $stages,
                        rules: |values| {
                            $crate::ParameterSet::check_rules(&<$name as $crate::TypedSet>::of(values))
                        },
                    }
                });
                &TABLE
            }
        }

        impl $crate::ParameterSet for $name {
            fn table(&self) -> &'static $crate::Table {
                $name::parameters()
            }

            fn at(&self, place: usize) -> $crate::Value {
                const READ: &[fn(&$name) -> $crate::Value] =
                    &[$(|set| $crate::make::Field::to_value(&set.$id)),+];
                READ[place](self)
            }

            fn put(&mut self, place: usize, value: &$crate::Value) {
                const WRITE: &[fn(&mut $name, &$crate::Value)] =
                    &[$(|set, value| {
                        if let Some(value) = $crate::make::Field::from_value(value) {
                            set.$id = value;
                        }
                    }),+];
                WRITE[place](self, value);
            }

            fn check_rules(&self) -> Result<(), $crate::ParamError> {
                let rules: fn(&$name) -> Result<(), $crate::ParamError> = $rules;
                rules(self)
            }
        }

        impl $crate::TypedSet for $name {}
    };
}
