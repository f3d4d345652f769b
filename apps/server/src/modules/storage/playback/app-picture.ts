import type { ParsedOf } from '@oms/contract/core/endpoint.ts'
import type { playbackApp as calls } from '@oms/contract/storage/app.ts'
import type { PublicCtx } from '#core/http/context.ts'
import { requireOwnDevice, runAsAppUser } from '../video/app-user.ts'
import { dayRange } from './app-event.ts'
import { formatFileName } from './play-stream.ts'
import { createPlayToken, formatPlayUrl } from './play-token.ts'
import { listPictures } from './recordings.ts'

/** Lists the pictures of a day with their addresses. */
export const listAppPictures = (
  ctx: PublicCtx,
  { sn, channel, day, pageNum, pageSize }: ParsedOf<typeof calls.pictures>,
) =>
  runAsAppUser(ctx, async (db, user) => {
    const { id: deviceId } = await requireOwnDevice(db, user, sn)
    const { timeZone: zone, secretKey } = ctx.services.config
    const now = ctx.now.getTime()
    const scope = { deviceId, channel, tenantId: user.tenantId, ownerId: user.uid, ...dayRange(day, zone) }
    const page = { limit: pageSize, offset: (pageNum - 1) * pageSize }
    const { total, list } = await listPictures(db, scope, { zone, now, ...page })
    const { token } = createPlayToken(secretKey, { ...scope, ...user.session, consentId: 0 }, now)
    return {
      total,
      list: list.map((row) => ({
        time: row.startMs,
        bytes: row.bytes,
        url: formatPlayUrl(token, formatFileName(row)),
      })),
    }
  })
