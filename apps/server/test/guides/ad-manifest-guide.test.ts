import { expect, test } from 'vitest'
import { MEDIA_CHUNK } from '@oms/contract/advertise/engine/manifest.ts'
import { StatusReport } from '@oms/contract/advertise/device-calls.ts'
import { useAds } from '#test/fixtures/ad-fixture.ts'
import { deviceLab } from '#test/fixtures/device-fixture.ts'
import { readGuide } from './device-guide.ts'

const oms = deviceLab()
const { ad, program, get } = useAds(oms)
const guide = readGuide('ad-players.md')

/** Returns the field names in the first column of the table below a heading. A row may contain two names. */
function fieldsBelow(heading: string): string[] {
  const [, rest = ''] = guide.split(`\n### ${heading}\n`)
  const [section = ''] = rest.split(/\n##+ /)
  const cells = section.split('\n').flatMap((line) => /^\| (`[^|]+`) \|/.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
}

/** Returns the paths of all fields, such as `programs[].items[].ms`. A list of texts is one field, and so is null. */
function pathsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value))
    return value.some((each) => typeof each === 'object') ? value.flatMap((each) => pathsOf(each, `${path}[]`)) : [path]
  if (typeof value !== 'object' || value === null) return [path]
  const inner = Object.entries(value).flatMap(([name, each]) => pathsOf(each, path === '' ? name : `${path}.${name}`))
  return path.endsWith('[]') || path === '' ? inner : [path, ...inner]
}

test('AD-06 the guide lists every field of a real manifest, and no other field', async () => {
  const { sn, id } = await oms.device()
  const [image, words] = [await ad(), await ad({ type: 4 })]
  const text = { content: '你好', fontSize: 80, color: '#ffffff', background: '#000000', align: 'center' }
  await oms.query(`update ad_versions set body = body || $2 where ad_id = $1`, [
    words.id,
    JSON.stringify({ text: { ...text, scroll: false, speed: 5 }, files: [] }),
  ])
  const dayParts = [{ start: '06:30', end: '10:00' }]
  await program({ ads: [image.id, words.id], targetType: 1, targetIds: [id], body: { dayParts } })
  const manifest = (await get(`manifest/${sn}`)).json()
  const real = new Set(pathsOf(manifest))
  // The guide has no row for an object that is never null.
  real.delete('download')
  expect(fieldsBelow('Fields of the manifest').toSorted()).toEqual([...real].toSorted())
  expect(guide).toContain(`${MEDIA_CHUNK.toLocaleString('en')} bytes`)
})

test('AD-06 the guide lists every field of a status, and no other field', () =>
  expect(fieldsBelow('Fields of a status').toSorted()).toEqual(Object.keys(StatusReport.shape).toSorted()))
