import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Ctx } from '#core/http/context.ts'
import { runDryRun, explainForDevice } from '#modules/upgrade/dry-run.ts'
import { deviceLab, TOKEN } from './fixtures/device-fixture.ts'

const oms = deviceLab()
const hash = createHash('sha256').update(TOKEN).digest()
const PACKAGES = ['app', 'voice'] as const

const versions = fc.array(
  fc.record({
    verCode: fc.integer({ min: 1, max: 9 }),
    tenantId: fc.constantFrom(1, 1, 7),
    packageName: fc.constantFrom('', '', 'app', 'voice'),
    oldVerMin: fc.option(fc.integer({ min: 0, max: 5 })),
    mode: fc.constantFrom(1, 2, 2, 2),
    state: fc.constantFrom(0, 0, 0, 0, 1, 2, 3, 4),
    percent: fc.constantFrom(10_000, 10_000, 5000),
    tenants: fc.constantFrom([], [], [7]),
    window: fc.constantFrom(null, null, 'past', 'future'),
    autoRetries: fc.integer({ min: 0, max: 1 }),
  }),
  { minLength: 1, maxLength: 5 },
)
const devices = fc.array(
  fc.record({
    tenantId: fc.constantFrom(1, 1, 7),
    verCode: fc.option(fc.integer({ min: 0, max: 9 }), { freq: 8 }),
    status: fc.constantFrom(1, 1, 1, 1, 0),
    packages: fc.option(fc.subarray([...PACKAGES])),
    packageCode: fc.integer({ min: 0, max: 8 }),
    /** States of earlier tasks by version. */
    past: fc.array(fc.tuple(fc.nat(4), fc.constantFrom(0, 10, 40, 110, 110, 120)), { maxLength: 2 }),
    whites: fc.array(fc.nat(4), { maxLength: 2 }),
  }),
  { minLength: 1, maxLength: 8 },
)
type ValueOf<A> = A extends fc.Arbitrary<infer T> ? T : never
type Fleet = { versions: ValueOf<typeof versions>; devices: ValueOf<typeof devices> }

let made = 0

/** Creates a random fleet with its own model. Returns its ids. */
async function build({ versions: wanted, devices: known }: Fleet) {
  made += 1
  const [model] = await oms.query(
    'insert into device_models (type_id, model_name, model_code) values (1, $1, $1) returning id',
    [`P${made}`],
  )
  const unique = wanted.filter(
    (a, at) =>
      at ===
      wanted.findIndex(
        (b) => [a.verCode, a.packageName, a.tenantId].join() === [b.verCode, b.packageName, b.tenantId].join(),
      ),
  )
  const otaIds: number[] = []
  for (const each of unique) otaIds.push(await writeVersion(model.id, each))
  const rows = []
  for (const [at, each] of known.entries()) rows.push(await writeDevice(model.id, otaIds, `P${made}-${at}`, each))
  await oms.sync()
  return { otaIds, rows }
}

async function writeVersion(modelId: number, each: Fleet['versions'][number]): Promise<number> {
  const [row] = await oms.query(
    `insert into ota_versions (tenant_id, model_id, kind, package_name, ver_code, ver_name, old_ver_min, release_date, status, components)
     values ($1, $2, $3, $4, $5, 'v', $6, now() - interval '1 day', 1, 1) returning ota_id`,
    [each.tenantId, modelId, each.packageName ? 2 : 1, each.packageName, each.verCode, each.oldVerMin],
  )
  const shift = { past: '-1 day', future: '1 day' }[each.window ?? 'past']
  await oms.query(
    `insert into ota_policies (ota_id, tenant_id, mode, state, percent, tenant_ids, auto_retries, start_time)
     values ($1, $2, $3, $4, $5, $6, $7, now() + $8::interval)`,
    [row.ota_id, each.tenantId, each.mode, each.state, each.percent, each.tenants, each.autoRetries, shift],
  )
  return row.ota_id
}

async function writeDevice(modelId: number, otaIds: number[], sn: string, each: Fleet['devices'][number]) {
  const [row] = await oms.query(
    `insert into devices (tenant_id, model_id, sn, ver_code, status, token_hash, attributes_wanted)
     values ($1, $2, $3, $4, $5, $6, 0) returning id`,
    [each.tenantId, modelId, sn, each.verCode, each.status, hash],
  )
  const packages = (each.packages ?? []).map((name) => ({ name, verCode: each.packageCode }))
  for (const { name, verCode } of packages)
    await oms.query('insert into device_packages (device_id, package_name, ver_code) values ($1, $2, $3)', [
      row.id,
      name,
      verCode,
    ])
  for (const at of new Set(each.whites))
    if (otaIds[at]) await oms.query('insert into ota_whites (ota_id, device_id) values ($1, $2)', [otaIds[at], row.id])
  for (const [at, state] of each.past)
    if (otaIds[at])
      await oms.query(
        `insert into ota_tasks (ota_id, device_id, tenant_id, model_id, package_name, ver_code, state, close_time)
         select ota_id, $2, $3, $4, package_name, ver_code, $5::int, case when $5::int >= 100 then now() end
         from ota_versions where ota_id = $1 on conflict do nothing`,
        [otaIds[at], row.id, each.tenantId, modelId, state],
      )
  return { id: row.id as number, sn, tenantId: each.tenantId, packages }
}

type Row = Awaited<ReturnType<typeof build>>['rows'][number]

/** Checks for an update like a device. Returns the version of the created task. */
async function checked({ id, sn, tenantId, packages }: Row): Promise<number | undefined> {
  const before = await oms.query('select task_id from ota_tasks where device_id = $1', [id])
  if (packages.length > 0) await oms.plain('check', { sn, packages })
  else await oms.send(`/${tenantId === 1 ? 'DEFAULT' : 'ACME'}/controller/v1/${sn}`)
  const after = await oms.query('select task_id, ota_id from ota_tasks where device_id = $1', [id])
  const fresh = after.filter(({ task_id }) => !before.some((old) => old.task_id === task_id))
  expect(fresh.length).toBeLessThan(2)
  return fresh[0]?.ota_id
}

test('dry run, explanation and device checks give the same results for all devices of random fleets', async () => {
  await fc.assert(
    fc.asyncProperty(fc.record({ versions, devices }), async (fleet) => {
      const { otaIds, rows } = await build(fleet)
      const { services } = oms
      const user = { uid: 1, tenantId: 1, scope: { tenants: 'all' } }
      const ctx = { db: services.database.db, services, user, now: new Date() } as unknown as Ctx
      const dueSerials: string[] = []
      const explained: string[] = []
      for (const otaId of otaIds) {
        const { sample, count } = await runDryRun(ctx, { otaId })
        expect(sample).toHaveLength(count)
        dueSerials.push(...sample.map(({ sn }) => `${sn} ${otaId}`))
        for (const { sn } of rows)
          if ((await explainForDevice(ctx, { otaId, sn })).passed) explained.push(`${sn} ${otaId}`)
      }
      const offered: string[] = []
      for (const row of rows) {
        const otaId = await checked(row)
        if (otaId !== undefined) offered.push(`${row.sn} ${otaId}`)
      }
      expect(dueSerials.toSorted()).toEqual(offered.toSorted())
      expect(explained.toSorted()).toEqual(offered.toSorted())
    }),
    { numRuns: Number(process.env.FLEET_RUNS ?? 12) },
  )
}, 300_000)
