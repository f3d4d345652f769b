import { randomBytes } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import type { Services } from '#core/services.ts'
import { putBytes } from '#core/storage/open-store.ts'
import { createTone } from '#demo/tone.ts'

/** Model that trains the clones. The demo has no account of the vendor, so no clone is really trained. */
const MODEL = 'TTS_HuoshanDoubleStreamTTS'
const SECONDS = 12
/** Name, voice id of the vendor, speaker, state and reason of a failure. */
const CLONES = [
  ['客服小周', 'S_demo000001', '周雨晴', 2, ''],
  ['讲解员老陈', 'S_demo000002', '陈国梁', 3, '录音与音色 ID 的语种不一致，请重新录音'],
] as const

/** Creates a trained and a failed clone for the platform, with their recordings. */
export async function seedDemoClones({ files }: Pick<Services, 'files'>, db: Db, uid: number) {
  const { sha256, sha1, md5, size } = await putBytes(files, createTone(SECONDS, 330))
  const clones = JSON.stringify(
    CLONES.map(([name, voice, speaker, state, error]) => ({
      name,
      voice,
      speaker,
      state,
      error,
      file: randomBytes(16).toString('hex'),
    })),
  )
  await db.execute(sql`
    with clone as (select * from json_to_recordset(${clones}) as c
      (name text, voice text, speaker text, state int, error text, file text)),
    recording as (
      insert into files (id, tenant_id, uid, purpose, name, mime, size, md5, sha1, sha256, create_time, used_time)
      select file, 1, ${uid}::int, 'agentAudio', name || '.wav', 'audio/wav', ${size}::bigint, ${md5}, ${sha1}, ${sha256},
        now() - interval '9 days', now() - interval '9 days' from clone returning id)
    insert into agent_voice_clones (tenant_id, model_id, name, voice_id, file_id, file_name, seconds, state, error,
      consent_speaker, consent_time, create_by, update_by, create_time, update_time)
    select 1, m.id, c.name, c.voice, c.file, c.name || '.wav', ${SECONDS}::int, c.state, c.error, c.speaker,
      now() - interval '10 days', ${uid}::int, ${uid}::int, now() - interval '9 days', now() - interval '9 days'
    from clone c join agent_models m on m.code = ${MODEL} and m.deleted_at is null`)
}
