import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { notDeleted } from '#core/tenancy/tenancy.ts'
import { dictData } from '#core/schema/system.ts'

const BANNED_WORDS = 'ad_banned_words'

/**
 * Returns the enabled words of the dictionary `ad_banned_words` that occur in these texts. The result is a hint for
 * authors and auditors and never refuses an ad.
 */
export async function findBannedWords(db: Db, texts: readonly string[]): Promise<string[]> {
  const words = await db
    .select({ word: dictData.dictLabel })
    .from(dictData)
    .where(and(eq(dictData.dictType, BANNED_WORDS), eq(dictData.status, 1), notDeleted(dictData)))
  const text = texts.join('\n')
  return words.flatMap(({ word }) => (text.includes(word) ? [word] : []))
}
