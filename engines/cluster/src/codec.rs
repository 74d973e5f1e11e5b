//! Functions in plans. A client encrypts what an executor needs for a function. A scheduler passes the bytes on and cannot
//! read them. An executor decrypts them and opens the function.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ballista_core::serde::BallistaPhysicalExtensionCodec;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use datafusion::physical_plan::ExecutionPlan;
use datafusion_proto::physical_plan::{PhysicalExtensionCodec, PhysicalProtoConverterExtension};
use inkveil_datafusion::remote::{Worker, note_of};

use crate::seal::SealKey;
use crate::told::{Error, marked};

/// Who encodes and decodes.
#[derive(Debug)]
enum Side {
    Client(Arc<SealKey>),
    Scheduler,
    Executor(Arc<SealKey>, Arc<Worker>),
}

/// The codec of one program of a cluster.
#[derive(Debug)]
pub(crate) struct Codec {
    side: Side,
    /// The nodes that the scheduler adds.
    nodes: BallistaPhysicalExtensionCodec,
}

impl Codec {
    pub(crate) fn of_client(key: Arc<SealKey>) -> Self {
        Self { side: Side::Client(key), nodes: BallistaPhysicalExtensionCodec::default() }
    }

    pub(crate) fn of_scheduler() -> Self {
        Self { side: Side::Scheduler, nodes: BallistaPhysicalExtensionCodec::default() }
    }

    pub(crate) fn of_executor(key: Arc<SealKey>, worker: Arc<Worker>) -> Self {
        Self { side: Side::Executor(key, worker), nodes: BallistaPhysicalExtensionCodec::default() }
    }
}

impl PhysicalExtensionCodec for Codec {
    fn try_decode(
        &self,
        buf: &[u8],
        inputs: &[Arc<dyn ExecutionPlan>],
        ctx: &TaskContext,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.nodes.try_decode(buf, inputs, ctx, converter)
    }

    fn try_encode(
        &self,
        node: Arc<dyn ExecutionPlan>,
        buf: &mut Vec<u8>,
        converter: &dyn PhysicalProtoConverterExtension,
    ) -> Result<()> {
        self.nodes.try_encode(node, buf, converter)
    }

    fn try_encode_udf(&self, node: &ScalarUDF, buf: &mut Vec<u8>) -> Result<()> {
        match &self.side {
            Side::Client(key) => {
                let Some(note) = note_of(node) else { return Ok(()) };
                let note = note.map_err(DataFusionError::from)?;
                buf.extend(key.seal(node.name(), &note).map_err(told)?);
            }
            Side::Scheduler => {
                let inner: &dyn std::any::Any = node.inner().as_ref();
                if let Some(sealed) = inner.downcast_ref::<Sealed>() {
                    buf.extend(&sealed.bytes);
                }
            }
            // An executor sends no plans.
            Side::Executor(..) => return Err(marked("an executor sends no functions")),
        }
        Ok(())
    }

    fn try_decode_udf(&self, name: &str, bytes: &[u8]) -> Result<Arc<ScalarUDF>> {
        if bytes.is_empty() {
            return Err(marked("the query calls a function that this cluster does not know"));
        }
        match &self.side {
            Side::Client(_) => Err(marked("a client receives no functions")),
            Side::Scheduler => Ok(Arc::new(Sealed::function(name, bytes))),
            Side::Executor(key, worker) => {
                let note = key.unseal(name, bytes).map_err(told)?;
                let function = worker.open(name, note.expose());
                function.map(Arc::new).map_err(|error| marked(&error.to_string()))
            }
        }
    }
}

fn told(error: Error) -> DataFusionError {
    marked(&error.to_string())
}

/// A function that only passes through.
struct Sealed {
    name: String,
    bytes: Vec<u8>,
    signature: Signature,
}

impl Sealed {
    fn function(name: &str, bytes: &[u8]) -> ScalarUDF {
        // Volatile: it is never computed in advance or merged with another call.
        let signature = Signature::user_defined(Volatility::Volatile);
        Self { name: name.to_owned(), bytes: bytes.to_vec(), signature }.into()
    }
}

impl ScalarUDFImpl for Sealed {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Err(marked("the scheduler plans no functions"))
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Err(marked("the scheduler computes no functions"))
    }
}

impl std::fmt::Debug for Sealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl PartialEq for Sealed {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.bytes == other.bytes
    }
}

impl Eq for Sealed {}

impl Hash for Sealed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.bytes.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use datafusion_proto::physical_plan::AsExecutionPlan as _;
    use datafusion_proto::protobuf::PhysicalPlanNode;
    use inkveil::privacy::Secret;

    use super::*;
    use crate::shape::tests::{bound_plan, table};
    use crate::told::shown;

    fn key() -> Arc<SealKey> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        SealKey::create_file(&path).unwrap();
        Arc::new(SealKey::open(&path).unwrap())
    }

    fn sent(plan: &Arc<dyn ExecutionPlan>, codec: &Codec) -> Vec<u8> {
        let mut bytes = Vec::new();
        PhysicalPlanNode::try_from_physical_plan(plan.clone(), codec)
            .unwrap()
            .try_encode(&mut bytes)
            .unwrap();
        bytes
    }

    fn received(bytes: &[u8], codec: &Codec) -> Result<Arc<dyn ExecutionPlan>> {
        PhysicalPlanNode::try_decode(bytes)?.try_into_physical_plan(&TaskContext::default(), codec)
    }

    fn refused(result: Result<impl Sized>) -> String {
        match result {
            Err(error) => shown(&error.to_string()).unwrap(),
            Ok(_) => panic!("it is accepted"),
        }
    }

    /// The note of a function of a plan.
    fn note(plan: &Arc<dyn ExecutionPlan>) -> serde_json::Value {
        let node = plan.downcast_ref::<datafusion::physical_plan::projection::ProjectionExec>().unwrap();
        let call = node
            .expr()
            .iter()
            .find_map(|column| column.expr.downcast_ref::<datafusion::physical_expr::ScalarFunctionExpr>());
        let note = note_of(call.unwrap().fun()).unwrap().unwrap();
        serde_json::from_slice(note.expose()).unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_function_passes_the_scheduler_unread_and_opens_on_an_executor() {
        let folder = tempfile::tempdir().unwrap();
        let path = table(folder.path());
        let plan = bound_plan(&path, "SELECT id, veil(body, id) AS body FROM mails").await;
        let key = key();
        let client = sent(&plan, &Codec::of_client(key.clone()));
        let ticket = note(&plan)["ticket"].as_str().unwrap().to_owned();
        let raw = inkveil::files::hex::decode(&ticket).unwrap();
        for secret in [ticket.as_bytes(), &raw[..33], b"preset", b"tier"] {
            assert!(!client.windows(secret.len()).any(|part| part == secret));
        }
        let at_scheduler = received(&client, &Codec::of_scheduler()).unwrap();
        let forwarded = sent(&at_scheduler, &Codec::of_scheduler());
        let worker = Arc::new(Worker::default());
        let opened = received(&forwarded, &Codec::of_executor(key, worker.clone())).unwrap();
        crate::shape::check(&opened).unwrap();
        let other = self::key();
        assert!(refused(received(&forwarded, &Codec::of_executor(other, worker))).contains("different keys"));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn unknown_functions_settings_versions_and_packs_are_refused_without_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = table(folder.path());
        let plan = bound_plan(&path, "SELECT id, veil(body, id) AS body FROM mails").await;
        let (key, worker) = (key(), Arc::new(Worker::default()));
        let executor = Codec::of_executor(key.clone(), worker);
        let opened = |name: &str, note: &serde_json::Value| {
            let note = Secret::new(serde_json::to_vec(note).unwrap());
            executor.try_decode_udf(name, &key.seal(name, &note).unwrap())
        };
        let good = note(&plan);
        assert!(opened("veil", &good).is_ok());
        let with = |field: &str, value: serde_json::Value| {
            let mut changed = good.clone();
            changed[field] = value;
            changed
        };
        let settings = good["settings"].as_str().unwrap().to_owned();
        for (note, told) in [
            (with("version", 2.into()), "different versions"),
            (with("surprise", 1.into()), "same version of inkveil"),
            (with("settings", format!("{settings}\n[text2]\n").into()), "text2"),
            (with("settings", "[text]\npresett = \"strict\"\n".into()), "presett"),
            (with("settings", "[text]\npreset = \"strict\"\n".into()), "other settings or models"),
            (with("names", "00".into()), "taggers"),
            (with("ticket", serde_json::Value::Null), "without its key"),
        ] {
            let message = refused(opened("veil", &note));
            assert!(message.contains(told), "{told}: {message}");
        }
        let renamed = with("function", "mask".into());
        assert!(refused(opened("veil", &renamed)).contains("does not know"));
        for name in ["restore", "detect", "delete_all"] {
            assert!(
                refused(opened(name, &with("function", name.into()))).contains("does not know"),
                "{name}"
            );
        }
        assert!(refused(executor.try_decode_udf("veil", &[])).contains("does not know"));
        assert!(refused(executor.try_decode_udf("veil", b"short")).contains("different keys"));
        // Functions that are not bound have no key, and those of a session cannot be sent.
        let unbound = datafusion::logical_expr::ScalarUDF::clone(&Sealed::function("veil", b"x"));
        let mut bytes = Vec::new();
        Codec::of_client(key).try_encode_udf(&unbound, &mut bytes).unwrap();
        assert!(bytes.is_empty());
    }
}
