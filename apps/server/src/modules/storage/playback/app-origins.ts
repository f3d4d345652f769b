import { APP_TOKEN_HEADER } from '@oms/contract/storage/app.ts'
import { and, sql } from 'drizzle-orm'
import type { Services } from '#core/services.ts'
import { ossAppKeys } from '../schema-playback.ts'
import { tenants } from '#core/schema/tenant.ts'
import { isUsableKey } from '../video/app-user.ts'

const KNOWN_FOR_MS = 10_000
/** Longest origin that a key can name. */
const MAX_LENGTH = 100
const MAX_KNOWN = 1000

/**
 * Rule for pages of Apps: pages from the origins of enabled keys may call. A change of the keys takes effect within ten
 * seconds.
 */
export function createAppOrigins({ database }: Services) {
  const known = new Map<string, { readonly isAllowed: Promise<boolean>; readonly at: number }>()
  const read = async (origin: string) => {
    const found = await database.db
      .select({ id: ossAppKeys.id })
      .from(ossAppKeys)
      .innerJoin(tenants, sql`${tenants.id} = ${ossAppKeys.tenantId}`)
      .where(and(sql`${origin} = any(${ossAppKeys.origins})`, isUsableKey()))
      .limit(1)
    return found.length > 0
  }
  return {
    prefixes: ['/api/v1/oss/app/', '/api/v1/oss/play/'],
    headers: `content-type, range, ${APP_TOKEN_HEADER}`,
    isAllowed(origin: string): Promise<boolean> {
      if (origin.length > MAX_LENGTH) return Promise.resolve(false)
      const now = Date.now()
      const last = known.get(origin)
      if (last && now - last.at < KNOWN_FOR_MS) return last.isAllowed
      if (known.size >= MAX_KNOWN) known.clear()
      const isAllowed = read(origin)
      isAllowed.catch(() => known.delete(origin))
      known.set(origin, { isAllowed, at: now })
      return isAllowed
    },
  }
}
