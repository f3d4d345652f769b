import { expect, test } from 'vitest'
import { deviceLab } from '#test/fixtures/device-fixture.ts'

const oms = deviceLab()

const reportTicket = async (sn: string): Promise<string> =>
  (await oms.plain('ticket', { sn, problemType: 1, content: '画面花屏' })).json().feedbackNo
const closeTicket = (feedbackNo: string) =>
  oms.query(`update tickets set status = 5, close_time = now() - interval '1 minute' where feedback_no = $1`, [
    feedbackNo,
  ])
const listTickets = async (sn: string) => (await oms.plain('ticket/list', { sn })).json().list
const rate = async (sn: string, feedbackNo: string, fields: object) =>
  (await oms.plain('ticket/rate', { sn, feedbackNo, ...fields })).status

test('a device rates its closed ticket once, and the same rating sent again changes nothing', async () => {
  const { sn } = await oms.device()
  const feedbackNo = await reportTicket(sn)
  expect(await listTickets(sn)).toMatchObject([{ feedbackNo, status: 0, ratable: false }])
  expect(await rate(sn, feedbackNo, { score: 5 })).toBe(409)
  await closeTicket(feedbackNo)
  expect(await listTickets(sn)).toMatchObject([{ feedbackNo, status: 5, ratable: true }])
  const [before] = await oms.query('select rev from tickets where feedback_no = $1', [feedbackNo])
  for (const score of [0, 6, 1.5, '5', undefined]) expect(await rate(sn, feedbackNo, { score })).toBe(400)
  expect(await rate(sn, feedbackNo, { score: 4, text: '很快' })).toBe(200)
  expect(await rate(sn, feedbackNo, { score: 4, text: '很快' })).toBe(200)
  expect(await rate(sn, feedbackNo, { score: 1 })).toBe(409)
  expect(await listTickets(sn)).toMatchObject([{ ratable: false }])
  const stored = await oms.query(
    `select t.satisfaction, t.satisfaction_remark as remark, t.rev, r.detail from tickets t
     join ticket_records r on r.ticket_id = t.id and r.kind = 9 where t.feedback_no = $1`,
    [feedbackNo],
  )
  expect(stored).toEqual([{ satisfaction: 4, remark: '很快', rev: before.rev, detail: '满意度：满意（4）' }])
})

test('a device sees neither tickets of another device nor those of an App account that is not bound', async () => {
  const [{ sn }, other] = [await oms.device(), await oms.device()]
  const feedbackNo = await reportTicket(sn)
  await closeTicket(feedbackNo)
  expect(await listTickets(other.sn)).toEqual([])
  expect(await rate(other.sn, feedbackNo, { score: 5 })).toBe(404)
  await oms.query('update tickets set app_account_id = 4711 where feedback_no = $1', [feedbackNo])
  expect(await listTickets(sn)).toEqual([])
  expect(await rate(sn, feedbackNo, { score: 5 })).toBe(404)
})
