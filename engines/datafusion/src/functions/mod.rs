//! The SQL functions.
//!
//! A function that a session registers computes nothing. A query that was checked and charged gets its own copies, which
//! hold its [`Work`]. So a path that forgets the ledger gets an error and no rows.

mod detect;
mod mask;
mod restore;
mod style;
mod vectors;
mod veil;

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::error::refused;
use crate::texts::{refuse_long, text_type};
use crate::vectors::{embedding_type, vector_type};
use crate::work::Work;

/// What a function does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Veils texts.
    Veil,
    /// Replaces what detection finds by placeholders.
    Mask,
    /// Lists what detection finds.
    Detect,
    /// Lists the kinds of what detection finds.
    PiiKinds,
    /// Measures how unusual a style is.
    StyleRisk,
    /// Puts originals back.
    Restore,
    /// Turns texts into vectors.
    Embed,
    /// Adds noise to vectors.
    VeilVector,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Veil,
        Self::Mask,
        Self::Detect,
        Self::PiiKinds,
        Self::StyleRisk,
        Self::Restore,
        Self::Embed,
        Self::VeilVector,
    ];

    /// The function of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Veil => "veil",
            Self::Mask => "mask",
            Self::Detect => "detect",
            Self::PiiKinds => "pii_kinds",
            Self::StyleRisk => "style_risk",
            Self::Restore => "restore",
            Self::Embed => "embed",
            Self::VeilVector => "veil_vector",
        }
    }

    /// Whether its results leave this machine and are charged.
    pub(crate) fn releases(self) -> bool {
        matches!(self, Self::Veil | Self::Mask | Self::VeilVector)
    }

    /// Whether it draws noise, so that its rows need ids.
    pub(crate) fn is_noisy(self) -> bool {
        matches!(self, Self::Veil | Self::VeilVector)
    }

    /// Whether it needs a detector.
    pub(crate) fn detects(self) -> bool {
        matches!(self, Self::Mask | Self::Detect | Self::PiiKinds)
    }

    /// How the function is called, for messages.
    pub(crate) fn usage(self) -> &'static str {
        match self {
            Self::Veil => "veil(text, id) or veil(text, id, task)",
            Self::Mask => "mask(text)",
            Self::Detect => "detect(text)",
            Self::PiiKinds => "pii_kinds(text)",
            Self::StyleRisk => "style_risk(text)",
            Self::Restore => "restore(text)",
            Self::Embed => "embed(text)",
            Self::VeilVector => "veil_vector(vector, id)",
        }
    }

    /// How many arguments it takes. The id of a row may be filled in.
    fn arity(self) -> std::ops::RangeInclusive<usize> {
        match self {
            Self::Veil => 1..=3,
            Self::VeilVector => 1..=2,
            _ => 1..=1,
        }
    }

    /// The type of an argument of this type. None if the function does not take it.
    fn argument(self, at: usize, given: &DataType) -> Option<DataType> {
        match (self, at) {
            (Self::VeilVector, 0) => vector_type(given),
            (Self::Veil | Self::VeilVector, 1) => Some(given.clone()),
            _ => text_type(given),
        }
    }
}

/// A function, with the work of its query if it has one.
pub(crate) struct Function {
    kind: Kind,
    signature: Signature,
    /// The name that the records of noise of a column get, if several columns are veiled.
    column: Option<Arc<str>>,
    /// Whether the result is only counted.
    is_counted: bool,
    work: Option<Arc<Work>>,
}

impl Function {
    fn registered(kind: Kind, column: Option<Arc<str>>, work: Option<Arc<Work>>) -> ScalarUDF {
        // Volatile: it is never computed in advance, merged with another call or moved below a filter.
        let signature = Signature::user_defined(Volatility::Volatile);
        Self { kind, signature, column, is_counted: false, work }.into()
    }

    /// A function of a query that was charged on another machine.
    pub(crate) fn of_worker(
        kind: Kind,
        column: Option<Arc<str>>,
        is_counted: bool,
        work: Arc<Work>,
    ) -> ScalarUDF {
        let signature = Signature::user_defined(Volatility::Volatile);
        Self { kind, signature, column, is_counted, work: Some(work) }.into()
    }

    pub(crate) fn kind(&self) -> Kind {
        self.kind
    }

    pub(crate) fn column(&self) -> Option<&str> {
        self.column.as_deref()
    }

    pub(crate) fn is_counted(&self) -> bool {
        self.is_counted
    }

    pub(crate) fn work(&self) -> Option<&Arc<Work>> {
        self.work.as_ref()
    }

    fn compute(&self, work: &Work, args: &ScalarFunctionArgs) -> Result<ArrayRef> {
        let columns = args
            .args
            .iter()
            .map(|value| value.clone().into_array(args.number_rows))
            .collect::<Result<Vec<_>>>()?;
        let out = args.return_field.data_type();
        let name = args.arg_fields.first().map_or_else(String::new, |field| work.shown(field.name()));
        if let (Some(texts), false) = (columns.first(), self.kind == Kind::VeilVector) {
            refuse_long(texts, &name)?;
        }
        match (self.kind, columns.as_slice()) {
            (Kind::Veil, [texts, id, task @ ..]) => {
                veil::call(work, texts, id, self.column.as_deref(), task.first(), out)
            }
            (Kind::Mask, [texts]) => mask::call(work, texts, out),
            (Kind::Detect, [texts]) => detect::findings(work, texts),
            (Kind::PiiKinds, [texts]) => detect::kinds(work, texts),
            (Kind::StyleRisk, [texts]) => style::call(work, texts),
            (Kind::Restore, [texts]) => restore::call(work, texts, out),
            (Kind::Embed, [texts]) if self.is_counted => vectors::counted(work, texts, out),
            (Kind::Embed, [texts]) => vectors::embed(work, texts, out),
            (Kind::VeilVector, [input, id]) => {
                vectors::veil(work, input, id, self.column.as_deref(), &name, out)
            }
            _ => Err(refused(format!("write {}", self.kind.usage())).into()),
        }
    }
}

/// The functions of a session.
pub(crate) fn all() -> impl Iterator<Item = ScalarUDF> {
    Kind::ALL.into_iter().map(|kind| Function::registered(kind, None, None))
}

/// A call without the work of a query, for plans.
pub(crate) fn unbound(kind: Kind, column: Option<&str>, args: Vec<Expr>) -> Expr {
    call(Function::registered(kind, column.map(Arc::from), None), args)
}

/// Gives a call the work of its query. Other expressions have none.
pub(crate) fn bound(expr: &Expr, work: &Arc<Work>) -> Option<Expr> {
    let (function, args) = function(expr)?;
    let Function { kind, signature, column, is_counted, .. } = function;
    let (signature, column, work) = (signature.clone(), column.clone(), Some(work.clone()));
    let with_work = Function { kind: *kind, signature, column, is_counted: *is_counted, work };
    Some(call(with_work.into(), args.to_vec()))
}

/// The call of `embed` whose vectors a call of `veil_vector` reads, if it reads such.
pub(crate) fn embedded(expr: &Expr) -> Option<&Expr> {
    match called(expr)? {
        (Kind::VeilVector, [vectors, ..]) => {
            matches!(called(vectors), Some((Kind::Embed, _))).then_some(vectors)
        }
        _ => None,
    }
}

/// The same call for a plan that only counts: vectors that `veil_vector` reads are not computed.
pub(crate) fn counting(expr: &Expr) -> Expr {
    let Some(((function, args), (embed, texts))) = function(expr).zip(embedded(expr).and_then(function))
    else {
        return expr.clone();
    };
    let signature = embed.signature.clone();
    let counted = Function { kind: Kind::Embed, signature, column: None, is_counted: true, work: None };
    let mut changed = vec![call(counted.into(), texts.to_vec())];
    changed.extend(args.iter().skip(1).cloned());
    unbound(function.kind, function.column.as_deref(), changed)
}

/// The kind and the arguments of a call of one of these functions.
pub(crate) fn called(expr: &Expr) -> Option<(Kind, &[Expr])> {
    function(expr).map(|(function, args)| (function.kind, args))
}

/// Whether this is a call with noise that the query has written. Those of a policy name their column.
pub(crate) fn is_unnamed_noise(expr: &Expr) -> bool {
    function(expr).is_some_and(|(function, _)| function.kind.is_noisy() && function.column.is_none())
}

/// Whether this is a call that releases something.
pub(crate) fn is_release(expr: &Expr) -> bool {
    called(expr).is_some_and(|(kind, _)| kind.releases())
}

fn function(expr: &Expr) -> Option<(&Function, &[Expr])> {
    let Expr::ScalarFunction(call) = expr else { return None };
    Some((function_of(&call.func)?, &call.args))
}

/// The function behind the engine's handle, if it is one of these.
pub(crate) fn function_of(function: &ScalarUDF) -> Option<&Function> {
    let inner: &dyn Any = function.inner().as_ref();
    inner.downcast_ref::<Function>()
}

fn call(function: ScalarUDF, args: Vec<Expr>) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(Arc::new(function), args))
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        let of = if self.kind == Kind::VeilVector { "vectors: lists of numbers" } else { "texts" };
        let wrong = || refused(format!("write {} with columns of {of}", self.kind.usage()));
        if !self.kind.arity().contains(&given.len()) {
            return Err(wrong().into());
        }
        let argument = |(at, given)| self.kind.argument(at, given).ok_or_else(|| wrong().into());
        given.iter().enumerate().map(argument).collect()
    }

    fn return_type(&self, given: &[DataType]) -> Result<DataType> {
        Ok(match self.kind {
            Kind::Veil | Kind::Mask | Kind::Restore => {
                given.first().and_then(text_type).unwrap_or(DataType::Utf8)
            }
            Kind::Detect => detect::findings_type(),
            Kind::PiiKinds => detect::kinds_type(),
            Kind::StyleRisk => DataType::Float64,
            Kind::Embed => embedding_type(),
            Kind::VeilVector => given.first().and_then(vector_type).unwrap_or_else(embedding_type),
        })
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some(work) = &self.work else {
            let name = self.kind.name();
            return Err(refused(format!(
                "{name}() runs only in a query that inkveil has checked and charged; nothing was released"
            ))
            .into());
        };
        self.compute(work, &args).map(ColumnarValue::Array)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.column == other.column
            && self.is_counted == other.is_counted
            && self.work.as_ref().map(Arc::as_ptr) == other.work.as_ref().map(Arc::as_ptr)
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.kind.hash(state);
        self.column.hash(state);
    }
}
