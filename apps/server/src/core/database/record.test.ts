import { recordCalls } from '@oms/contract/core/record-calls.ts'
import { eq } from 'drizzle-orm'
import { expect, test, vi } from 'vitest'
import * as z from 'zod'
import type { Ctx } from '#core/http/context.ts'
import { deviceTypes } from '#modules/device/schema.ts'
import { useApp } from '#test/harness.ts'
import { defineRecord } from './record.ts'

const app = useApp()

const LABELS = { on: '在售', off: '已下架', enable: '上架', disable: '下架' } as const
const calls = recordCalls('/api/v1/device/part', 'device:part', '备件', {
  row: z.object({ id: z.int() }),
  input: z.object({}),
  filters: {},
  sort: ['id'],
  statusLabels: LABELS,
})
const part = defineRecord({ table: deviceTypes, calls, kind: 'part', noun: '备件', nameOf: ({ typeName }) => typeName })

test('the operation log describes a status change with the labels that the contract declares', async () => {
  const [row] = await app.db.insert(deviceTypes).values({ typeName: '螺丝', typeCode: 'screw' }).returning()
  const audit = vi.fn<Ctx['audit']>()
  const ctx = { services: app.services, db: app.db, user: { uid: 1 }, now: new Date(), audit } as unknown as Ctx
  await part.disable(ctx, { id: row!.id })
  expect(Object.assign({}, ...audit.mock.calls.map(([note]) => note))).toEqual({
    bizType: 'part',
    bizId: row!.id,
    action: '下架备件「螺丝」',
    diff: [{ field: 'status', title: '状态', from: '在售', to: '已下架' }],
  })
  const [stored] = await app.db.select().from(deviceTypes).where(eq(deviceTypes.id, row!.id))
  expect(stored).toMatchObject({ status: 0, rev: 1 })
})
