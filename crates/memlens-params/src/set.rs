//! Sets of values for the parameters of a table, of any pipeline.

use serde::{Serialize, Serializer};

use crate::{ParamError, Parameter, Phase, StageId, StageInfo, Value};

/// The parameters of one pipeline, grouped by its stages.
pub struct Table {
    /// All parameters, in the order of the pipeline.
    pub parameters: Vec<Parameter>,
    /// The pipeline's stages, in its order.
    pub stages: &'static [StageInfo],
    /// Checks the rules that involve several parameters, for values that are each in range.
    pub rules: fn(&Values) -> Result<(), ParamError>,
}

impl Table {
    /// Returns the parameter with this id.
    ///
    /// # Errors
    /// [`ParamError::Unknown`], with the closest id if one is close.
    pub fn parameter(&self, id: &str) -> Result<&Parameter, ParamError> {
        self.position(id).map(|at| &self.parameters[at])
    }

    /// Returns the description of a stage; `None` for one of another pipeline.
    pub fn stage(&self, id: StageId) -> Option<&'static StageInfo> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// Returns the 0-based place of a stage in the pipeline; `None` for one of another pipeline.
    pub fn place_of(&self, id: StageId) -> Option<usize> {
        self.stages.iter().position(|stage| stage.id == id)
    }

    fn position(&self, id: &str) -> Result<usize, ParamError> {
        let found = self.parameters.iter().position(|it| it.id == id);
        let n_chars = id.chars().count();
        found.ok_or_else(|| ParamError::Unknown {
            id: id.to_owned(),
            nearest: self
                .parameters
                .iter()
                // An id of a much different length cannot be close, and a file may give megabytes.
                .filter(|it| n_chars.abs_diff(it.id.len()) * 3 <= it.id.len())
                .map(|it| (strsim::damerau_levenshtein(it.id, id), it.id))
                .min()
                .filter(|(distance, nearest)| *distance * 3 <= nearest.len())
                .map(|(_, nearest)| nearest.to_owned()),
        })
    }
}

/// Values for every parameter of a table.
///
/// Every value is in its range if it was set by [`ParameterSet::assign`], [`ParameterSet::set`] or
/// [`ParameterSet::with`]; [`ParameterSet::check`] checks values of other origin.
pub trait ParameterSet: Clone {
    /// Returns the table whose values these are.
    fn table(&self) -> &'static Table;

    /// Returns the value of the parameter at this place of the table.
    fn at(&self, place: usize) -> Value;

    /// Stores a checked value at a place of the table; a value of another kind changes nothing.
    fn put(&mut self, place: usize, value: &Value);

    /// Checks the rules that involve several parameters, for values that are each in range.
    ///
    /// # Errors
    /// The first rule that is violated.
    fn check_rules(&self) -> Result<(), ParamError>;

    /// Returns the value of a parameter, or `None` if the table has no such id.
    fn get(&self, id: &str) -> Option<Value> {
        self.table().position(id).ok().map(|place| self.at(place))
    }

    /// Sets one parameter to a value as typed on a command line.
    ///
    /// # Errors
    /// Like [`Parameter::parse`] and [`ParameterSet::set`]; nothing is changed then.
    fn assign(&mut self, id: &str, text: &str) -> Result<(), ParamError> {
        let value = self.table().parameter(id)?.parse(text)?;
        self.set(id, value)
    }

    /// Sets several parameters from `id=value` arguments, in order.
    ///
    /// The rules that involve several parameters (weights, overlap) are checked once at the end, so that
    /// `vector_weight=0 text_weight=1` may be given in either order.
    ///
    /// # Errors
    /// The first error; nothing is changed then.
    fn assign_all<'a>(
        &mut self,
        settings: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ParamError> {
        let mut next = self.clone();
        for setting in settings {
            let (id, text) = setting
                .split_once('=')
                .ok_or_else(|| ParamError::NotASetting {
                    given: setting.to_owned(),
                })?;
            let place = self.table().position(id.trim())?;
            next.put(place, &self.table().parameters[place].parse(text)?);
        }
        *self = next.check()?;
        Ok(())
    }

    /// Sets one parameter.
    ///
    /// # Errors
    /// Like [`Parameter::check`] and [`ParameterSet::check`]; nothing is changed then.
    fn set(&mut self, id: &str, value: Value) -> Result<(), ParamError> {
        *self = self.clone().with([(id, value)])?;
        Ok(())
    }

    /// Returns these values with some replaced.
    ///
    /// # Errors
    /// The first unknown id or rejected value.
    fn with<'a>(
        mut self,
        values: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Result<Self, ParamError> {
        for (id, value) in values {
            let place = self.table().position(id)?;
            let value = self.table().parameters[place].check(value)?;
            self.put(place, &value);
        }
        self.check()
    }

    /// Returns these values if each is in its range and the rules hold.
    ///
    /// # Errors
    /// Like [`Parameter::check`] and [`ParameterSet::check_rules`].
    fn check(self) -> Result<Self, ParamError> {
        for (place, parameter) in self.table().parameters.iter().enumerate() {
            parameter.check(self.at(place))?;
        }
        self.check_rules()?;
        Ok(self)
    }

    /// Returns why some of the `id=value` arguments have no effect beside these values, each message once.
    fn without_effect<'a>(&self, settings: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut said: Vec<String> = Vec::new();
        for setting in settings {
            let id = setting.split_once('=').map_or(setting, |(id, _)| id);
            let parameter = self.table().parameter(id.trim()).ok();
            if let Some(why) = parameter.and_then(|it| it.without_effect(self))
                && !said.contains(&why)
            {
                said.push(why);
            }
        }
        said
    }

    /// Returns the parameters that differ from their default, in the order of the table.
    fn changed(&self) -> Vec<(&'static str, Value)> {
        let parameters = self.table().parameters.iter().enumerate();
        parameters
            .filter_map(|(place, parameter)| {
                let value = self.at(place);
                (value != parameter.default).then_some((parameter.id, value))
            })
            .collect()
    }

    /// Returns whether the same lists can be used for these values and the other ones.
    fn retrieves_as(&self, other: &Self) -> bool {
        let parameters = self.table().parameters.iter().enumerate();
        parameters
            .filter(|(_, parameter)| parameter.phase == Phase::Retrieve)
            .all(|(place, _)| self.at(place) == other.at(place))
    }

    /// Returns the same values without their type.
    fn values(&self) -> Values {
        let places = 0..self.table().parameters.len();
        Values {
            table: self.table(),
            values: places.map(|place| self.at(place)).collect(),
        }
    }
}

/// A struct with a field for every parameter of one table; generated by [`crate::parameters!`].
pub trait TypedSet: ParameterSet + Default + Send + Sync + 'static {
    /// Returns the typed form of values of this table; values of another table give the defaults.
    fn of(values: &Values) -> Self {
        let mut typed = Self::default();
        if std::ptr::eq(typed.table(), values.table) {
            for (place, value) in values.values.iter().enumerate() {
                typed.put(place, value);
            }
        }
        typed
    }
}

/// Values for every parameter of a table that is chosen at run time, as the window and files hold them.
#[derive(Clone)]
pub struct Values {
    table: &'static Table,
    values: Vec<Value>,
}

impl Values {
    /// Returns the defaults of a table.
    pub fn defaults(table: &'static Table) -> Values {
        let parameters = table.parameters.iter();
        Values {
            table,
            values: parameters.map(|it| it.default.clone()).collect(),
        }
    }
}

impl ParameterSet for Values {
    fn table(&self) -> &'static Table {
        self.table
    }

    fn at(&self, place: usize) -> Value {
        self.values[place].clone()
    }

    fn put(&mut self, place: usize, value: &Value) {
        self.values[place] = value.clone();
    }

    fn check_rules(&self) -> Result<(), ParamError> {
        (self.table.rules)(self)
    }
}

impl PartialEq for Values {
    fn eq(&self, other: &Values) -> bool {
        std::ptr::eq(self.table, other.table) && self.values == other.values
    }
}

impl std::fmt::Debug for Values {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ids = self.table.parameters.iter().map(|it| it.id);
        f.debug_map().entries(ids.zip(&self.values)).finish()
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ids = self.table.parameters.iter().map(|it| it.id);
        serializer.collect_map(ids.zip(&self.values))
    }
}
