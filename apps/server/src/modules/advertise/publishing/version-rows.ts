import { PROGRAM_VERSION_STATE } from '@oms/contract/advertise/program-words.ts'
import { and, eq } from 'drizzle-orm'
import type { Db } from '#core/database/client.ts'
import { adProgramVersions } from '../schema.ts'

type StoredVersion = typeof adProgramVersions.$inferSelect
type Key = Pick<StoredVersion, 'programId' | 'verNo'>

const isVersion = ({ programId, verNo }: Key) =>
  and(eq(adProgramVersions.programId, programId), eq(adProgramVersions.verNo, verNo))

export const updateProgramVersion = (db: Db, key: Key, change: Partial<StoredVersion>) =>
  db.update(adProgramVersions).set(change).where(isVersion(key))

/** Returns the version, locked, while the version waits for approval. */
export async function lockWaitingVersion(db: Db, key: Key): Promise<StoredVersion | undefined> {
  const [found] = await db
    .select()
    .from(adProgramVersions)
    .where(and(isVersion(key), eq(adProgramVersions.state, PROGRAM_VERSION_STATE.waiting)))
    .for('update')
  return found
}

/** Puts a version in force and ends the former one. With `verNo` 0, only ends the version in force. */
export async function replaceVersionInForce(db: Db, programId: number, verNo: number): Promise<void> {
  await db
    .update(adProgramVersions)
    .set({ state: PROGRAM_VERSION_STATE.replaced })
    .where(and(eq(adProgramVersions.programId, programId), eq(adProgramVersions.state, PROGRAM_VERSION_STATE.inForce)))
  if (verNo > 0) await updateProgramVersion(db, { programId, verNo }, { state: PROGRAM_VERSION_STATE.inForce })
}
