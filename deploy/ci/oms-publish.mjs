// Publishes a build to OMS: uploads a firmware file, creates its version, and enables and releases it when asked to.
// Needs Node 20 and nothing else. OMS_URL is the address of OMS, OMS_TOKEN an access token. A second run of the same
// build continues where the first one broke off.
import { createHash } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { parseArgs } from 'node:util'

const text = { type: 'string' }
const { values } = parseArgs({
  options: {
    file: text,
    model: text,
    version: text,
    name: text,
    notes: text,
    enable: { type: 'boolean' },
    stages: text,
  },
})
const { file, model, version, name, notes = '', enable = false, stages } = values
const { OMS_URL, OMS_TOKEN } = process.env
if (!OMS_URL || !OMS_TOKEN || !file || !model || !version || !name)
  fail(
    'usage: OMS_URL=… OMS_TOKEN=… oms-publish.mjs --file F --model CODE --version N --name TEXT [--notes TEXT] [--enable] [--stages 1,10,100]',
  )

const blob = await openAsBlob(file)
const sha256 = createHash('sha256')
  .update(new Uint8Array(await blob.arrayBuffer()))
  .digest('hex')

const otaId = (await findVersion()) ?? (await createVersion())
const release = await call('GET', `/upgrade/release/${otaId}`)
if ((enable || stages) && release.status !== 1) {
  await call('POST', `/device/ota/ver/enable/${otaId}`, {})
  print('enabled')
}
if (stages) {
  const plan = stages.split(',').map((percent) => ({ percent: Math.round(Number(percent) * 100) }))
  const { rev } = await call('GET', `/upgrade/release/${otaId}`)
  const { state } = await call('POST', '/upgrade/release/publish', { otaId, rev, mode: 2, stages: plan })
  print(state === 1 ? 'waits for approval' : 'released')
}

/** Returns the id of the version with this number, which must have this file. */
async function findVersion() {
  const { list } = await call(
    'GET',
    `/device/ota?pageNum=1&pageSize=10&modelId=${await findModel()}&verCode=${version}`,
  )
  if (list.length === 0) return undefined
  const { components } = await call('GET', `/device/ota/ver/${list[0].otaId}`)
  if (!components.some((each) => each.sha256 === sha256)) fail(`version ${version} exists with another file`)
  return list[0].otaId
}

async function createVersion() {
  const releaseDate = new Date().toISOString().slice(0, 19).replace('T', ' ')
  const facts = { verCode: version, verName: name, releaseDate, description: notes, modelId: await findModel() }
  const components = [{ name: '固件', type: 2, url: await upload(), sha256 }]
  const created = await call('POST', '/device/ota/ver', { otaVersion: facts, components })
  print(`created version ${version}`)
  return created.otaId
}

async function findModel() {
  const { list } = await call('GET', `/device/options/model?keyword=${encodeURIComponent(model)}`)
  const found = list.find(({ modelCode }) => modelCode.toLowerCase() === model.toLowerCase())
  return found?.id ?? fail(`no device model has the code ${model}`)
}

/** Uploads the file in parts and returns its URL. */
async function upload() {
  const begin = { purpose: 'component', name: file.split(/[\\/]/).at(-1), size: blob.size, fingerprint: sha256 }
  const { uploadId, partBytes, received } = await call('POST', '/file/parts/begin', begin)
  for (let index = 0; index * partBytes < blob.size; index++)
    if (!received.includes(index))
      await call('PUT', `/file/parts/${uploadId}/${index}`, blob.slice(index * partBytes, (index + 1) * partBytes))
  return (await call('POST', `/file/parts/${uploadId}/finish`, { sha256 })).url
}

/** Calls the API. Repeats a call while the server cannot be reached; a refusal ends the script. */
async function call(method, path, body, attempt = 1) {
  const isFile = body instanceof Blob
  const sent = isFile || body === undefined ? body : JSON.stringify(body)
  const headers = { authorization: `Bearer ${OMS_TOKEN}` }
  if (body) headers['content-type'] = isFile ? 'application/octet-stream' : 'application/json'
  // With this key, a call whose answer was lost is not run twice. Uploads continue by themselves.
  if (method === 'POST' && !path.startsWith('/file/'))
    headers['idempotency-key'] = createHash('sha256').update(`${sha256} ${path} ${sent}`).digest('hex')
  const answer = await fetch(`${OMS_URL}/api/v1${path}`, { method, headers, body: sent }).catch((error) => ({ error }))
  if (answer.error || answer.status >= 500 || answer.status === 429) {
    if (attempt === 5)
      fail(`${path}: ${answer.error?.cause?.message ?? answer.error?.message ?? `HTTP ${answer.status}`}`)
    await new Promise((resume) => setTimeout(resume, attempt * 2000))
    return call(method, path, body, attempt + 1)
  }
  const { code, msg, data } = await answer.json()
  return code === 200 ? data : fail(`${path}: ${msg}`)
}

function print(line) {
  process.stdout.write(`${line}\n`)
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
