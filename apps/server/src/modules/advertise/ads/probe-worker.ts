import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { probeImage, probeMedia } from './probe-media.ts'
import {
  FileRefusedError,
  EMPTY_PROBE_FACTS,
  type ProbeResponse,
  type ProbedFile,
  type ProbeFacts,
  type ProbeTask,
} from './probe.ts'

/** Resident memory at which the process ends itself. The heap of V8 is limited by the command line to 256 MB. */
const MAX_RESIDENT_BYTES = 768 * 1024 * 1024
const WATCH_MS = 50

/** Returns the sha256 of each chunk of a file. */
async function chunkHashesOf(path: string, chunkBytes: number) {
  const hashes: string[] = []
  let hash = createHash('sha256')
  let room = chunkBytes
  for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let rest = bytes; rest.length > 0; ) {
      const part = rest.subarray(0, room)
      hash.update(part)
      room -= part.length
      rest = rest.subarray(part.length)
      if (room > 0) continue
      hashes.push(hash.digest('hex'))
      hash = createHash('sha256')
      room = chunkBytes
    }
  }
  return room < chunkBytes ? [...hashes, hash.digest('hex')] : hashes
}

async function probe({ kind, path, directory, chunkBytes }: ProbeTask): Promise<ProbedFile> {
  const played = async (facts: ProbeFacts, { thumbPath = '', pagePath = '' } = {}) => ({
    facts,
    thumbPath,
    pagePath,
    chunkHashes: await chunkHashesOf(pagePath || path, chunkBytes),
  })
  if (kind === 'adImage' || kind === 'adPoster') {
    const thumbPath = join(directory, 'thumb.webp')
    return played(await probeImage(path, thumbPath), { thumbPath })
  }
  if (kind === 'adPackage') {
    const { probePackage } = await import('./probe-package.ts')
    const pagePath = join(directory, 'page.html')
    await writeFile(pagePath, await probePackage(path))
    return played({ ...EMPTY_PROBE_FACTS, mime: 'application/zip' }, { pagePath })
  }
  return played(await probeMedia(path, kind === 'adVideo'))
}

process.once('message', (task: ProbeTask) => {
  setInterval(() => {
    if (process.memoryUsage.rss() > MAX_RESIDENT_BYTES) process.exit(1)
  }, WATCH_MS).unref()
  probe(task)
    .then(
      (probed): ProbeResponse => ({ probed }),
      (error: unknown): ProbeResponse => {
        if (error instanceof FileRefusedError) return { refused: error.message }
        throw error
      },
    )
    .then(
      (answer) => process.send?.(answer, () => process.exit(0)),
      () => process.exit(1),
    )
})
