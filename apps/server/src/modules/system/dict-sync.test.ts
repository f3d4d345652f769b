import { DICT_SEED } from '@oms/contract/system/dict-seed.ts'
import { and, eq, isNull } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { dictData, dictTypes } from '#core/schema/system.ts'
import { useApp } from '#test/harness.ts'
import { syncDicts } from './dict-sync.ts'

const app = useApp()

describe('shipped dictionaries', () => {
  test('the first start creates every shipped type and entry, with at most one default entry per type', async () => {
    const stored = await app.db.select().from(dictTypes)
    expect(stored.map(({ dictType }) => dictType).sort()).toEqual(DICT_SEED.map(({ type }) => type).sort())
    for (const { type, entries, standard } of DICT_SEED) {
      const rows = await app.db.select().from(dictData).where(eq(dictData.dictType, type)).orderBy(dictData.dictSort)
      expect(rows.map(({ dictValue }) => dictValue)).toEqual(entries.map(([value]) => value))
      expect(rows.filter(({ isDefault }) => isDefault === 'Y').map(({ dictValue }) => dictValue)).toEqual(
        standard ? [standard] : [],
      )
    }
  })

  test('a second start changes nothing and keeps the edits of administrators', async () => {
    const sex = and(eq(dictData.dictType, 'sys_user_sex'), eq(dictData.dictValue, '1'))
    await app.db.update(dictData).set({ dictLabel: '先生', status: 0 }).where(sex)
    expect(await syncDicts(app.db)).toBe(false)
    const [row] = await app.db.select().from(dictData).where(sex)
    expect(row).toMatchObject({ dictLabel: '先生', status: 0 })
  })

  test('a start restores a deleted shipped entry and increments the version of its type', async () => {
    const versionOf = async () =>
      (await app.db.select().from(dictTypes).where(eq(dictTypes.dictType, 'company_size')))[0]!.version
    const before = await versionOf()
    await app.db
      .delete(dictData)
      .where(and(eq(dictData.dictType, 'company_size'), eq(dictData.dictValue, '1'), isNull(dictData.deletedAt)))
    expect(await syncDicts(app.db)).toBe(true)
    expect(await versionOf()).toBe(before + 1)
  })
})
