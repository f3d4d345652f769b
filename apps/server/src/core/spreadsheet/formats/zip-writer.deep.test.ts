import { fromBufferPromise } from 'yauzl'
import { expect, test } from 'vitest'
import { writeZip } from './zip.ts'

test('an archive of more than 65,535 entries can be read', async () => {
  const entries = Array.from({ length: 66_000 }, (_, at) => ({ name: `${at}`, source: [] }))
  const zip = await fromBufferPromise(Buffer.concat(await writeZip(entries).toArray()))
  expect(zip.entryCount).toBe(66_000)
}, 180_000)
