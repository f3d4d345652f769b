import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Caller, useApp } from '#test/harness.ts'
import {
  createComponent,
  FIRMWARE_PERMISSIONS,
  createModel,
  readVersion,
  saveVersion,
  buildVersion,
} from './version-fixture.ts'

const server = useApp()
const VER_CODE = 50

/** Generates the next step of a person. `parts` selects the uploaded components that a save sends. */
const end = fc.option(fc.integer({ min: 0, max: 60 }), { nil: '' })
const step = fc.oneof(
  fc.record({
    kind: fc.constant('edit' as const),
    verName: fc.constantFrom('甲', '乙', '丙'),
    oldVerMin: end,
    oldVerMax: end,
    parts: fc.subarray([0, 1, 2]),
    stale: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom('enable' as const, 'disable' as const, 'remove' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
type Edit = Extract<Step, { kind: 'edit' }>
type Shown = Awaited<ReturnType<typeof readVersion>> | undefined

const url = (action: string, otaId: number) => `/api/v1/device/ota/ver/${action}${otaId}`

function act(me: Caller, otaId: number, before: Shown, pool: object[], next: Step) {
  if (next.kind === 'edit') return edit(me, otaId, before, pool, next)
  if (next.kind === 'remove') return me.call('DELETE', url('', otaId))
  return me.call('POST', url(`${next.kind}/`, otaId))
}

function edit(me: Caller, otaId: number, before: Shown, pool: object[], { parts, stale, ...fields }: Edit) {
  const otaVersion = { ...buildVersion(1), ...before?.otaVersion, ...fields, otaId, rev: before?.otaVersion.rev ?? 0 }
  if (stale) otaVersion.rev -= 1
  return saveVersion(me, { otaVersion, components: parts.map((part) => pool[part]) })
}

/** Returns whether the step is permitted in this state. Independent of the server's code. */
function allowed(before: Shown, next: Step, kept: readonly number[]) {
  if (!before) return false
  const { status, oldVerMin, oldVerMax } = before.otaVersion
  if (next.kind === 'edit') {
    if (next.stale || isBackwards(next)) return false
    // A version that was enabled keeps its components; while it is enabled, its range includes no newer version.
    const isSame = String(next.parts) === String(kept)
    return (
      status === 0 ||
      (isSame && (status !== 1 || !(Number(next.oldVerMax) >= VER_CODE || Number(next.oldVerMin) >= VER_CODE)))
    )
  }
  if (next.kind === 'remove') return status === 0
  if (next.kind === 'disable') return status === 1
  return status !== 1 && before.components.length > 0 && Number(oldVerMin) < VER_CODE && Number(oldVerMax) < VER_CODE
}
const isBackwards = ({ oldVerMin, oldVerMax }: Edit) => oldVerMin !== '' && oldVerMax !== '' && oldVerMin > oldVerMax

async function assertServed(me: Caller, { components }: NonNullable<Shown>) {
  for (const { url: address, size, md5, sha1, sha256 } of components) {
    const { rawPayload } = await me.inject({ method: 'GET', url: String(address) })
    const hash = (algorithm: string) => createHash(algorithm).update(rawPayload).digest('hex')
    expect([rawPayload.length, hash('md5'), hash('sha1'), hash('sha256')]).toEqual([size, md5, sha1, sha256])
  }
}

const frozen = (shown: NonNullable<Shown>) => {
  const { modelId, verCode } = shown.otaVersion
  return { modelId, verCode, components: shown.components }
}

/** Asserts the invariants of every state of a version. */
function assertSound({ otaVersion, components }: NonNullable<Shown>) {
  const { oldVerMin, oldVerMax } = otaVersion
  expect(Number(oldVerMin)).toBeLessThanOrEqual(oldVerMax === null ? Number.POSITIVE_INFINITY : Number(oldVerMax))
  expect(otaVersion.components).toBe(components.length)
}

test('after random operations, enabled versions keep their components, served files match their digests and ranges are valid', async () => {
  const me = await server.as(...FIRMWARE_PERMISSIONS)
  const pool = [
    await createComponent(me),
    await createComponent(me, { name: '模型' }),
    await createComponent(me, { name: '说明' }),
  ]
  const history = async (steps: Step[]) => {
    const otaVersion = buildVersion(await createModel(me), { verCode: VER_CODE })
    const { data } = await me.call('POST', '/api/v1/device/ota/ver', { otaVersion, components: [pool[0]] })
    let shown: Shown = await readVersion(me, data.otaId)
    let once: ReturnType<typeof frozen> | undefined
    let kept: readonly number[] = [0]
    for (const next of steps) {
      const { code } = await act(me, data.otaId, shown, pool, next)
      expect({ next, done: code === 200 }).toEqual({ next, done: allowed(shown, next, kept) })
      if (code === 200 && next.kind === 'edit') kept = next.parts
      const after: Shown = (await readVersion(me, data.otaId)) ?? undefined
      expect(code === 200 || same(after, shown)).toBe(true)
      shown = after
      if (!shown) continue
      assertSound(shown)
      if (shown.otaVersion.status === 1) once ??= frozen(shown)
      expect(frozen(shown)).toEqual(once ?? frozen(shown))
      await assertServed(me, shown)
    }
  }
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), history), { numRuns: 40 })
}, 120_000)

const same = (one: Shown, other: Shown) => JSON.stringify(one) === JSON.stringify(other)
