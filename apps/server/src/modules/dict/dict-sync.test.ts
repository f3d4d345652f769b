import { DICT_SEED, RETIRED_DICTS } from '@oms/contract/dict/dict-seed.ts'
import { and, eq, inArray, isNull } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { useApp } from '#test/harness.ts'
import { dictData, dictTypes } from '#schema/system.ts'
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

  test('a start corrects licence labels of earlier releases unless an administrator edited them', async () => {
    const entry = (value: string) => and(eq(dictData.dictType, 'license_status'), eq(dictData.dictValue, value))
    const set = (value: string, fields: Partial<typeof dictData.$inferInsert>) =>
      app.db.update(dictData).set(fields).where(entry(value))
    const stored = async (value: string) => (await app.db.select().from(dictData).where(entry(value)))[0]
    await set('0', { dictLabel: '未绑定', listClass: 'default' })
    await set('1', { dictLabel: '已绑定', listClass: 'success', updateBy: 1 })
    await set('2', { dictLabel: '停用中', listClass: 'warning' })
    await set('3', { dictLabel: '已吊销', listClass: 'danger' })
    expect(await syncDicts(app.db)).toBe(true)
    expect(await stored('0')).toMatchObject({ dictLabel: '未分配', listClass: 'default' })
    expect(await stored('1')).toMatchObject({ dictLabel: '已绑定', listClass: 'success' })
    expect(await stored('2')).toMatchObject({ dictLabel: '停用中', listClass: 'warning' })
    expect(await stored('3')).toMatchObject({ dictLabel: '已激活', listClass: 'success' })
    expect(await syncDicts(app.db)).toBe(false)
  })

  test('a start corrects program labels of earlier releases', async () => {
    const entry = and(eq(dictData.dictType, 'program_status'), eq(dictData.dictValue, '3'))
    await app.db.update(dictData).set({ dictLabel: '播放中', listClass: 'success' }).where(entry)
    expect(await syncDicts(app.db)).toBe(true)
    expect((await app.db.select().from(dictData).where(entry))[0]?.dictLabel).toBe('投放中')
  })

  test('a start deletes unedited retired dictionaries; edited ones are kept as ordinary dictionaries', async () => {
    const [plain, edited] = RETIRED_DICTS
    const fields = { listClass: 'default', isBuiltin: 1 }
    const shipped = RETIRED_DICTS.map((dictType) => ({ dictType, dictName: dictType, isBuiltin: 1 }))
    await app.db.insert(dictTypes).values(shipped)
    await app.db.insert(dictData).values([
      { dictType: plain, dictValue: '1', dictLabel: '启用', ...fields },
      { dictType: edited, dictValue: '1', dictLabel: '可见', ...fields, updateBy: 1 },
    ])
    expect(await syncDicts(app.db)).toBe(true)
    const types = await app.db
      .select()
      .from(dictTypes)
      .where(inArray(dictTypes.dictType, [...RETIRED_DICTS]))
    const left = types.filter(({ deletedAt }) => deletedAt === null)
    expect(left).toMatchObject([{ dictType: edited, isBuiltin: 0 }])
    const entries = await app.db
      .select()
      .from(dictData)
      .where(inArray(dictData.dictType, [...RETIRED_DICTS]))
    expect(entries.filter(({ deletedAt }) => deletedAt === null)).toMatchObject([{ dictLabel: '可见', isBuiltin: 0 }])
    expect(await syncDicts(app.db)).toBe(false)
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
