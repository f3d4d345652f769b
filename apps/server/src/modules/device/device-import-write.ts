import { sql } from 'drizzle-orm'
import type { ImportCtx } from '#core/spreadsheet/import/definition.ts'
import { withoutRowSecurity } from '#core/tenancy/tenancy.ts'
import type { ResolvedLine } from './device-import.ts'

/** Passes all lines as one JSON parameter: building 2,000 × 14 parameters takes longer than running the statement. */
const wireOf = ({ input, tenantId, modelId, cleared }: ResolvedLine, id?: number) => ({
  id,
  sn: input.sn,
  tenant: tenantId,
  model: modelId,
  name: input.devName,
  mac: input.mac ?? '',
  imei: input.imei ?? '',
  ver: input.verCode ?? null,
  hw: input.hwVer,
  tags: [...new Set(input.tags)],
  warranty: input.warrantyEnd ?? null,
  remark: input.remark,
  cleared,
})

const COLUMNS = sql.raw(`x(id int, sn text, tenant int, model int, name text, mac text, imei text, ver int, hw text,
  tags jsonb, warranty date, remark text, cleared jsonb)`)
const TAGS = sql.raw('array(select jsonb_array_elements_text(x.tags))')

/** Inserts devices and returns their ids by serial. Omits serials that another transaction inserts meanwhile. */
export async function insertDevices(
  ctx: ImportCtx,
  lines: readonly ResolvedLine[],
): Promise<ReadonlyMap<string, number>> {
  if (lines.length === 0) return new Map()
  const { db, user } = ctx
  const { rows } = await db.execute<{ id: number; sn: string }>(sql`
    insert into devices (sn, tenant_id, model_id, dev_name, mac, imei, ver_code, hw_ver, tags, warranty_end, remark, create_by, update_by)
    select x.sn, x.tenant, x.model, x.name, x.mac, x.imei, x.ver, x.hw, ${TAGS}, x.warranty, x.remark, ${user.uid}, ${user.uid}
    from jsonb_to_recordset(${JSON.stringify(lines.map((line) => wireOf(line)))}::jsonb) as ${COLUMNS}
    on conflict do nothing returning id, sn`)
  const made = new Map(rows.map(({ id, sn }) => [sn, id]))
  const there = lines.flatMap((line) => {
    const id = made.get(line.input.sn)
    return id === undefined ? [] : [{ id, line }]
  })
  await noteVersions(ctx, there)
  await joinGroups(ctx, there)
  return made
}

/** Returns the serials that no device has, for a dry run. Counts devices that the account cannot see, as the insert does. */
export async function findFreeSerials(ctx: ImportCtx, lines: readonly ResolvedLine[]): Promise<ReadonlySet<string>> {
  const sns = lines.map(({ input }) => input.sn)
  if (sns.length === 0) return new Set()
  const { rows } = await withoutRowSecurity(ctx, (db) =>
    db.execute<{ sn: string }>(
      sql`select lower(sn) as sn from devices where lower(sn) = any(${sql.param(sns.map((sn) => sn.toLowerCase()))}::text[])
        and deleted_at is null`,
    ),
  )
  const taken = new Set(rows.map(({ sn }) => sn))
  return new Set(sns.filter((sn) => !taken.has(sn.toLowerCase())))
}

interface Written {
  readonly id: number
  readonly line: ResolvedLine
}

/** Returns the new value of a text column. An empty cell keeps the old value unless the line clears the column. */
const textOf = (field: string, wire: string, column: string) =>
  sql.raw(`case when x.cleared ? '${field}' then '' else coalesce(nullif(x.${wire}, ''), d.${column}) end`)

/** Updates devices. An empty cell keeps the old value. */
export async function updateDevices(ctx: ImportCtx, list: readonly Written[]) {
  if (list.length === 0) return
  const { db, user, now } = ctx
  const wire = sql`jsonb_to_recordset(${JSON.stringify(list.map(({ id, line }) => wireOf(line, id)))}::jsonb) as ${COLUMNS}`
  const { rows } = await db.execute<{ id: number }>(
    sql`select d.id from devices d join ${wire} on x.id = d.id where x.ver is distinct from d.ver_code and x.ver is not null`,
  )
  await db.execute(sql`update devices d set
      dev_name = ${textOf('devName', 'name', 'dev_name')}, model_id = coalesce(x.model, d.model_id),
      mac = ${textOf('mac', 'mac', 'mac')}, imei = ${textOf('imei', 'imei', 'imei')},
      ver_code = coalesce(x.ver, d.ver_code), hw_ver = ${textOf('hwVer', 'hw', 'hw_ver')},
      tags = case when jsonb_array_length(x.tags) = 0 and not x.cleared ? 'tags' then d.tags else ${TAGS} end,
      warranty_end = case when x.cleared ? 'warrantyEnd' then null else coalesce(x.warranty, d.warranty_end) end,
      remark = ${textOf('remark', 'remark', 'remark')},
      rev = d.rev + 1, update_by = ${user.uid}, update_time = ${now.toISOString()}
    from ${wire} where d.id = x.id`)
  const moved = new Set(rows.map(({ id }) => id))
  await noteVersions(
    ctx,
    list.filter(({ id }) => moved.has(id)),
  )
  await joinGroups(ctx, list)
}

async function noteVersions({ db }: ImportCtx, list: readonly Written[]) {
  const reported = list.flatMap(({ id, line }) =>
    line.input.verCode === undefined ? [] : [{ id, ver: line.input.verCode }],
  )
  if (reported.length > 0)
    await db.execute(sql`insert into device_versions (device_id, ver_code, source)
      select x.id, x.ver, 3 from jsonb_to_recordset(${JSON.stringify(reported)}::jsonb) as x(id int, ver int)`)
}

async function joinGroups({ db }: ImportCtx, list: readonly Written[]) {
  const members = list.flatMap(({ id, line }) => line.groupIds.map((group) => ({ id, group })))
  if (members.length > 0)
    await db.execute(sql`insert into device_group_members (group_id, device_id)
      select x."group", x.id from jsonb_to_recordset(${JSON.stringify(members)}::jsonb) as x(id int, "group" int)
      on conflict do nothing`)
}
