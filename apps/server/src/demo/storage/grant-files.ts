import { Readable } from 'node:stream'
import { storageGrantFiles as calls } from '@oms/contract/storage/grant-file.ts'
import { sql } from 'drizzle-orm'
import { type Actor, createPlatformUser, runAsActor } from '#core/auth/system-actor.ts'
import type { Services } from '#core/services.ts'
import { reviewGrantFile, uploadGrantFile } from '#modules/storage/entitlements/grant-file.ts'

const SUBMITTER = 'zhou.yi'
/** More devices than the setting `oss.twoPersonAbove` permits without a second person. */
const MANY = 1050
const CHANNEL = { fileName: '渠道批量开通.csv', packageCode: 'SJ7M1', reason: '渠道合同约定赠送首月' } as const

interface Batch {
  readonly fileName: string
  readonly packageCode: string
  readonly reason: string
  readonly sns: readonly string[]
}

const textsOf = async ({ database }: Services, query: ReturnType<typeof sql>) =>
  (await database.db.execute<{ sn: string }>(query)).rows.map(({ sn }) => sn)

async function submit(services: Services, actor: Actor, { fileName, packageCode, reason, sns }: Batch) {
  const { rows } = await services.database.db.execute<{ id: number }>(
    sql`select id from oss_packages where package_code = ${packageCode}`,
  )
  const given = calls.import.input.parse({ packageId: rows[0]!.id, reason, dryRun: '0' })
  const csv = ['序列号', ...sns].join('\r\n')
  const what = { name: 'import', ...calls.import, input: given, outside: true } as const
  return runAsActor(services, actor, what, (ctx) =>
    uploadGrantFile({ ...ctx, incoming: { name: fileName, stream: Readable.from([Buffer.from(csv)]) } }, given),
  )
}

/** Creates three batches of cloud storage: executed with refused lines, waiting for the demo account, and rejected. */
export async function seedDemoGrantFiles(services: Services, demo: Actor) {
  const submitter = await submitterOf(services, demo)
  const recording = await textsOf(
    services,
    sql`select distinct sn from oss_entitlements where state = 1 and channel = 0 and package_code = 'YC30M1' order by sn limit 40`,
  )
  const cameras = await textsOf(
    services,
    sql`select d.sn from devices d join device_models m on m.id = d.model_id
      where m.cloud_channels > 0 and d.deleted_at is null order by d.sn limit ${MANY}`,
  )
  await submit(services, submitter, {
    fileName: '秋季回馈名单.csv',
    packageCode: 'YC7M1',
    reason: '秋季回馈老用户',
    sns: [...recording, 'CAM-2019-0001', 'CAM-2019-0002', recording[0]!],
  })
  await submit(services, submitter, { ...CHANNEL, sns: cameras })
  const { reason } = CHANNEL
  const draft = { fileName: '渠道批量开通-初稿.csv', packageCode: 'SJ7M1', reason, sns: cameras.toReversed() }
  await reject(services, demo, await submit(services, submitter, draft))
}

async function reject(services: Services, demo: Actor, submitted: Awaited<ReturnType<typeof submit>>) {
  if (!('grantFileId' in submitted)) return
  const auditRemark = '名单与合同附件不一致，请核对后重新提交'
  const decision = { id: submitted.grantFileId, rev: 0, pass: 0 as const, auditRemark }
  const what = { name: 'audit', ...calls.audit, input: decision, outside: true } as const
  await runAsActor(services, demo, what, (ctx) => reviewGrantFile(ctx, decision))
}

async function submitterOf({ database }: Services, demo: Actor): Promise<Actor> {
  const { rows } = await database.db.execute<{ uid: number; realname: string }>(
    sql`select uid, realname from accounts where account = ${SUBMITTER}`,
  )
  return { ...demo, user: createPlatformUser({ account: SUBMITTER, ...rows[0]! }) }
}
