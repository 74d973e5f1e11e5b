use inkveil_privacy::Secret;
use std::path::{Path, PathBuf};
pub struct JobFolder(PathBuf);
#[derive(Clone)]
pub struct JobState { secret: Secret<Vec<u8>>, f: F }
#[derive(Clone, Default)]
pub struct F { pub sha256: Option<String>, pub rows: u64 }
impl JobState { pub fn new(_: String, secret: Secret<Vec<u8>>, _: &[(String,String)]) -> Self { Self{secret, f: F::default()} } pub fn secret(&self) -> &Secret<Vec<u8>> { &self.secret } pub fn file(&self, _: usize) -> &F { &self.f } pub fn file_mut(&mut self, _: usize) -> &mut F { &mut self.f } }
impl JobFolder { pub fn open(p:&Path)->Result<Self, inkveil_rows::Error>{Ok(Self(p.into()))} pub fn create(p:&Path,_:bool)->Result<Self, inkveil_rows::Error>{Ok(Self(p.into()))} pub fn load_for(&self,_:&str,_:&[(String,String)])->Result<JobState, inkveil_rows::Error>{todo!()} pub fn save(&self,_:&JobState)->Result<(), inkveil_rows::Error>{Ok(())} pub fn path(&self)->&Path{&self.0} pub fn remove(self)->Result<(), inkveil_rows::Error>{Ok(())} }
