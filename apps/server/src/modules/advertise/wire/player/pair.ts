import { randomBytes } from 'node:crypto'
import { type PairedReply, type PairReply, PairRequest } from '@oms/contract/advertise/device-calls.ts'
import type { Pool } from 'pg'
import { decrypt } from '#core/crypto/keys.ts'
import { runTransaction } from '#core/database/transactions.ts'
import { limitConcurrency } from '#core/process/concurrency.ts'
import { readBearerToken } from '#modules/device/wire/request.ts'
import { DeviceError, notFound, sendJson, unauthorized } from '#modules/device/wire/response.ts'
import { hashSecret, matchesSecret, createPairingCode, PAIRING_SECONDS } from '../../screens/screen.ts'
import { type ScreenRequest, readJsonBody, toFieldError } from '../screen-call.ts'

/** Maximum number of open codes of one address. */
const MAX_OPEN = 10
/** Maximum number of calls of one address in a minute: ten players with a poll every 5 seconds, and retries. */
const PER_MINUTE = 240
const EVERY_SECONDS = 5
const CODE_TRIES = 5
/** First key of the advisory lock under which the pairings of one address are counted and inserted. */
const LOCK = 7_302_520
const PAIR_ID = /^[0-9a-f]{32}$/

const LOCK_ADDRESS = 'select pg_advisory_xact_lock($1, hashtext($2))'

/** Inserts a pairing unless its code is taken or the address has too many open codes. */
const INSERT = `
  with full_address as (
    select count(*) >= ${MAX_OPEN} as is_full from ad_pairings
    where address = $7 and device_id is null and expire_time > now() and player_id <> $4
  ), replaced as (delete from ad_pairings where (address = $7 and player_id = $4 and device_id is null) or expire_time < now())
  insert into ad_pairings (pair_id, secret_hash, code, player_id, width, height, codecs, address, expire_time)
  select $1, $2, $3, $4, $5, $6, $8, $7, now() + make_interval(secs => ${PAIRING_SECONDS})
  from full_address where not is_full
  on conflict (code) do nothing`

function takeCall({ side, ip }: ScreenRequest) {
  if (!side.services.rate.tryTake(`pair:${ip}`, PER_MINUTE)) throw new DeviceError(429, 'too many calls', 60)
}

/** `POST pair`: opens a pairing and returns the code that the screen shows. */
export async function openPairing(call: ScreenRequest) {
  takeCall(call)
  const { data, error } = PairRequest.safeParse(await readJsonBody(call))
  if (!data) throw toFieldError(error)
  const { pool } = call.side.services.database
  const { playerId, width, height, codecs } = data
  for (let tries = 0; tries < CODE_TRIES; tries += 1) {
    const [pairId, secret, code] = [
      randomBytes(16).toString('hex'),
      randomBytes(32).toString('base64url'),
      createPairingCode(),
    ]
    const values = [pairId, hashSecret(secret), code, playerId, width, height, call.ip, codecs]
    const isOpen = await limitInserts(() => insertPairing(pool, call.ip, values))
    const reply: PairReply = { pairId, secret, code, expires: PAIRING_SECONDS, every: EVERY_SECONDS }
    if (isOpen) return sendJson(call.request, call.response, 200, reply)
  }
  throw new DeviceError(429, 'too many open codes', 60)
}

/** Calls without a token must not take the database connections of other calls. */
const limitInserts = limitConcurrency(2, 200, () => new DeviceError(503, 'busy', 30))

/** Returns false when the code is taken or the address has too many open codes. Calls of one address run one by one. */
async function insertPairing(pool: Pool, address: string, values: unknown[]): Promise<boolean> {
  return runTransaction(pool, async (client) => {
    await client.query(LOCK_ADDRESS, [LOCK, address])
    const { rowCount } = await client.query({ name: 'ad-pairing', text: INSERT, values })
    return rowCount === 1
  })
}

interface Pairing {
  readonly secretHash: string
  readonly tokenEncrypted: string
  readonly sn: string | null
}

/** `GET pair/{pairId}`: returns serial and token after a person entered the code. */
export async function readPairing(call: ScreenRequest, pairId: string) {
  takeCall(call)
  if (!PAIR_ID.test(pairId)) throw notFound('pairing')
  const { database, config, fleet } = call.side.services
  const { rows } = await database.pool.query<Pairing>({
    name: 'ad-pairing-read',
    text: `select p.secret_hash as "secretHash", p.token_encrypted as "tokenEncrypted", d.sn
       from ad_pairings p left join devices d on d.id = p.device_id and d.deleted_at is null
       where p.pair_id = $1 and p.expire_time > now()`,
    values: [pairId],
  })
  const [found] = rows
  if (!found) throw notFound('pairing')
  if (!matchesSecret(readBearerToken(call.request), found.secretHash)) throw unauthorized('wrong device token')
  if (found.sn === null || found.tokenEncrypted === '') return sendJson(call.request, call.response, 200, {})
  // The player uses the token at once, so this process must have loaded it.
  await fleet.sync()
  const reply: PairedReply = { sn: found.sn, token: decrypt(config.secretKey, found.tokenEncrypted) }
  return sendJson(call.request, call.response, 200, reply)
}
