import { ota } from '@oms/contract/upgrade/ota.ts'
import { softwareAllowlist, softwareRelease, softwareTask } from '@oms/contract/upgrade/software-release.ts'
import { software } from '@oms/contract/upgrade/software.ts'
import { otaAllowlist } from '@oms/contract/upgrade/upgrade-allowlist.ts'
import { otaRelease } from '@oms/contract/upgrade/upgrade-release.ts'
import { otaTask } from '@oms/contract/upgrade/upgrade-task.ts'
import { sql } from 'drizzle-orm'
import { notFound } from '#core/http/api-error.ts'
import type { Ctx } from '#core/http/context.ts'

/** Differences between firmware and general software. A call of one artifact kind never finds a row of the other. */
export interface ArtifactKind {
  /** Value of `ota_versions.kind`. */
  readonly kind: 1 | 2
  readonly noun: string
  /** Business type in the operation log and kind of the export job. */
  readonly bizType: string
  /** Path of the console page with the releases. */
  readonly page: string
  readonly calls: typeof ota | typeof software
  readonly release: typeof otaRelease | typeof softwareRelease
  readonly task: Omit<typeof otaTask, 'ofDevice'> | typeof softwareTask
  readonly white: typeof otaAllowlist | typeof softwareAllowlist
}

export const FIRMWARE_KIND: ArtifactKind = {
  kind: 1,
  noun: '固件版本',
  bizType: 'ota',
  page: '设备固件',
  calls: ota,
  release: otaRelease,
  task: otaTask,
  white: otaAllowlist,
}
export const SOFTWARE_KIND: ArtifactKind = {
  kind: 2,
  noun: '软件包版本',
  bizType: 'software',
  page: '通用软件',
  calls: software,
  release: softwareRelease,
  task: softwareTask,
  white: softwareAllowlist,
}
export const findArtifactKind = (kind: number) => (kind === SOFTWARE_KIND.kind ? SOFTWARE_KIND : FIRMWARE_KIND)

/** Fields by which requests name a version: field, error text when nothing is found, and the query for the kind. */
const NAMED_BY = {
  otaId: ['otaId', '版本', (id: number) => sql`select kind from ota_versions where ota_id = ${id}`],
  taskId: [
    'taskId',
    '升级任务',
    (id: number) =>
      sql`select v.kind from ota_versions v join ota_tasks t on t.ota_id = v.ota_id where t.task_id = ${id}`,
  ],
  alarmId: [
    'id',
    '告警',
    (id: number) => sql`select v.kind from ota_versions v join ota_alarms a on a.ota_id = v.ota_id where a.id = ${id}`,
  ],
} as const

type Services = Readonly<Record<string, (ctx: Ctx, input: never) => unknown>>

/** Limits services to versions of one artifact kind. A version of the other kind is reported as not found. */
export const limitToArtifactKind = <S extends Services>(
  { kind }: ArtifactKind,
  by: keyof typeof NAMED_BY,
  services: S,
): S => {
  const [field, noun, kindOf] = NAMED_BY[by]
  const guarded = Object.entries(services).map(([name, service]) => [
    name,
    async (ctx: Ctx, input: Record<string, number>) => {
      const { rows } = await ctx.db.execute<{ kind: number }>(kindOf(input[field] as number))
      if (rows[0]?.kind !== kind) throw notFound(noun)
      return service(ctx, input as never)
    },
  ])
  return Object.fromEntries(guarded) as S
}
