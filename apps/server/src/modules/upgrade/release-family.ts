import { softwareChoices, softwareRelease, softwareTask, softwareWhite } from '@oms/contract/software-release.ts'
import { otaRelease } from '@oms/contract/upgrade-release.ts'
import { otaTask } from '@oms/contract/upgrade-task.ts'
import { otaChoices, otaWhite } from '@oms/contract/upgrade-white.ts'
import { sql } from 'drizzle-orm'
import type { Ctx } from '#kernel/context.ts'
import { notFound } from '#kernel/problem.ts'

/** Firmware and general software are released alike, under rights of their own; this is all they differ in. */
export interface Family {
  /** Of `ota_versions`. */
  readonly kind: 1 | 2
  readonly noun: string
  /** Of the operation log. */
  readonly bizType: string
  /** Where its releases are found. */
  readonly page: string
  readonly release: typeof otaRelease | typeof softwareRelease
  readonly task: Omit<typeof otaTask, 'ofDevice'> | typeof softwareTask
  readonly white: typeof otaWhite | typeof softwareWhite
  readonly choices: typeof otaChoices | typeof softwareChoices
}

export const FIRMWARE: Family = {
  kind: 1,
  noun: '固件版本',
  bizType: 'ota',
  page: '设备固件',
  release: otaRelease,
  task: otaTask,
  white: otaWhite,
  choices: otaChoices,
}
export const SOFTWARE: Family = {
  kind: 2,
  noun: '软件包版本',
  bizType: 'software',
  page: '通用软件',
  release: softwareRelease,
  task: softwareTask,
  white: softwareWhite,
  choices: softwareChoices,
}
export const familyOf = (kind: number) => (kind === SOFTWARE.kind ? SOFTWARE : FIRMWARE)

/** What calls name their version by: a field, what is missing when none is found, and how to find its kind. */
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

/** These services for versions of one family: to them a version of the other is as good as missing. */
export const ofFamily = <S extends Services>({ kind }: Family, by: keyof typeof NAMED_BY, services: S): S => {
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
