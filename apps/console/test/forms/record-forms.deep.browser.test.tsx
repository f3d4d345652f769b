import { useState } from 'react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { held, ok, openTab, refusal } from '#test/browser-harness.tsx'
import { AGENT_CASES } from '#test/form-cases/agent-cases.tsx'
import { AGENT_ORDER_CASES } from '#test/form-cases/agent-order-cases.tsx'
import { AD_CASES } from '#test/form-cases/ad-cases.tsx'
import { AGENT_CONFIG_CASES } from '#test/form-cases/agent-config-cases.tsx'
import { CATALOGUE_CASES } from '#test/form-cases/catalogue-cases.tsx'
import {
  createContractServer,
  type Fields,
  buildRecordSample,
  findRowSchema,
  buildSample,
} from '#test/form-cases/contract-server.ts'
import type { FormCase } from '#test/form-cases/form-case.ts'
import {
  chooseFirst,
  findControl,
  readFieldErrors,
  isFormOpen,
  isTextShown,
  pressButton,
  submitForm,
  findSubmitButton,
  typeInto,
  waitUntil,
} from '#test/form-cases/page-driver.ts'
import { PEOPLE_CASES } from '#test/form-cases/people-cases.tsx'
import { AGENT_DEVICE_CASES } from '#test/form-cases/agent-device-cases.tsx'
import { SCREEN_CASES } from '#test/form-cases/screen-cases.tsx'
import { STORAGE_CASES } from '#test/form-cases/storage-cases.tsx'
import { STORAGE_SALES_CASES } from '#test/form-cases/storage-sales-cases.tsx'
import { PARAM_CASES } from '#test/form-cases/param-cases.tsx'
import { VOICEPRINT_CASES } from '#test/form-cases/voiceprint-cases.tsx'
import { WORK_CASES } from '#test/form-cases/work-cases.tsx'

const CASES: readonly FormCase[] = [
  ...CATALOGUE_CASES,
  ...AGENT_CONFIG_CASES,
  ...PEOPLE_CASES,
  ...WORK_CASES,
  ...STORAGE_CASES,
  ...STORAGE_SALES_CASES,
  ...AGENT_DEVICE_CASES,
  ...SCREEN_CASES,
  ...PARAM_CASES,
  ...VOICEPRINT_CASES,
  ...AD_CASES,
  ...AGENT_CASES,
  ...AGENT_ORDER_CASES,
]
const EDITS = CASES.filter(({ record }) => record)
const TEXTS = ['修改一', '修改二'] as const
const REFUSED = '这个内容不能保存'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
  sessionStorage.clear()
})

/** A page with a button that opens the form. */
function Page({ of, record }: { of: FormCase; record: Fields }) {
  const [open, setOpen] = useState(of.stays === true)
  return (
    <main>
      {!open && (
        <button type="button" onClick={() => setOpen(true)}>
          打开
        </button>
      )}
      {open && of.form(() => setOpen(false), record)}
    </main>
  )
}

function storedRecord({ record, save }: FormCase): Fields {
  if (!record) return {}
  const { read, at, values } = record
  const part = at === 'contact' ? (buildSample(read.result) as { contact: Fields }).contact : undefined
  const base = part ?? buildRecordSample(at ? findRowSchema(read.result) : read.result, save)
  return { ...base, rev: 3, ...values }
}

function responseWith({ record }: FormCase, stored: Fields): unknown {
  if (!record?.at) return stored
  if (record.at === 'rows') return [stored]
  const whole = buildSample(record.read.result) as Fields
  return record.at === 'list' ? { ...whole, list: [stored], total: 1 } : { ...whole, contact: stored }
}

/** Opens the page of a form with a server that stores one record. */
function openPage(each: FormCase) {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  let stored = storedRecord(each)
  for (const [endpoint, data] of each.reads ?? []) server.on(endpoint, () => ok(data))
  if (each.record) server.on(each.record.read, () => ok(responseWith(each, stored)))
  tab = openTab(<Page of={each} record={stored} />)
  const change = (values: Fields) => {
    stored = { ...stored, ...values }
  }
  return { server, tab, change }
}

async function openForm({ stays, field, atField }: FormCase) {
  if (!stays) await waitUntil(() => pressButton('打开'))
  await waitUntil(() => void (atField === false ? findSubmitButton() : findControl(field)))
}

/** Enters the case's required fields. */
async function complete({ fill = {}, choose = [] }: FormCase) {
  for (const [field, text] of Object.entries(fill)) {
    await waitUntil(() => typeInto(field, text))
  }
  for (const field of choose) await chooseFirst(field)
}

const valuesOf = ({ values }: FormCase) => (values === undefined ? TEXTS : values)
const isHidden = () => expect(isFormOpen()).toBe(false)
/** The page removed the form and may open it again. */
const isClosed = () => expect(isTextShown('打开')).toBe(true)

async function saveHidden(each: FormCase, { server, tab }: ReturnType<typeof openPage>, envelope: unknown) {
  const { save } = each
  const before = server.inputsOf(save).length
  const answer = held()
  server.on(save, answer.respond)
  submitForm()
  await waitUntil(() => {
    const sent = server.inputsOf(save).length
    expect({ sent, errors: sent > before ? [] : readFieldErrors() }).toEqual({ sent: before + 1, errors: [] })
  })
  tab.hide()
  await waitUntil(isHidden)
  answer.answer(envelope)
}

describe('a save in a hidden tab', () => {
  test.each(CASES)('$name: an API error is shown at its field, and the corrected form can be saved', async (each) => {
    const { field, save, atField = true, stays, opens } = each
    const page = openPage(each)
    await openForm(each)
    await complete(each)
    const values = valuesOf(each)
    if (values) await typeInto(field, values[0])
    await saveHidden(each, page, refusal(400, REFUSED, { field: field.replaceAll('_', '.') }))
    await waitUntil(() => expect(isTextShown(`「测试页」未保存：${REFUSED}`)).toBe(true))
    page.tab.show()
    await waitUntil(() => void findSubmitButton())
    if (values) expect(findControl(field).value).toBe(values[0])
    if (atField) await waitUntil(() => expect(readFieldErrors()).toContain(REFUSED))

    if (values) await typeInto(field, values[1])
    await saveHidden(each, page, ok(buildSample(save.result), '已保存'))
    if (save.done) await waitUntil(() => expect(isTextShown('已保存')).toBe(true))
    await waitUntil(() => expect(page.tab.hasUnsavedTabs()).toBe(false))
    page.tab.show()
    if (opens) await waitUntil(() => expect(isTextShown(opens)).toBe(true))
    else await waitUntil(() => (stays ? void findSubmitButton() : isClosed()))
    expect(page.tab.errors).toEqual([])
  })
})

describe('an edit form', () => {
  test.each(EDITS)('$name: after a cancel, the form opens with newly loaded values', async (each) => {
    const { field, save, record } = each
    const page = openPage(each)
    await openForm(each)
    await complete(each)
    const [first] = valuesOf(each) ?? []
    if (first) await typeInto(field, first)
    pressButton('取消')
    if (first || each.fill) await waitUntil(() => pressButton('放弃'))
    await waitUntil(isClosed)

    const isValue = record?.isShown !== false
    page.change({ rev: 9, ...(isValue && { [field]: '他人修改' }) })
    await openForm(each)
    if (isValue) expect(findControl(field).value).toBe('他人修改')
    await complete(each)
    if (first) await typeInto(field, first)
    submitForm()
    await waitUntil(isClosed)
    expect(page.server.inputsOf(save)).toHaveLength(1)
    if ('rev' in sentShape(each)) expect(page.server.inputsOf(save)[0]).toMatchObject({ rev: 9 })
  })

  test.each(EDITS)('$name: a record that cannot be loaded is reported once, in place of the form', async (each) => {
    const { server } = openPage(each)
    server.on(each.record!.read, () => refusal(500, 'x'))
    if (!each.stays) await waitUntil(() => pressButton('打开'))
    await waitUntil(() => expect(isTextShown('重试') || isTextShown('重 试')).toBe(true))
    expect(document.querySelectorAll('.ant-message-notice')).toHaveLength(0)
  })

  const REVISED = EDITS.filter((each) => each.record?.isShown !== false && 'rev' in sentShape(each))
  test.each(REVISED)('$name: a change of fields outside the form causes no conflict', async (each) => {
    const { field, save } = each
    const page = openPage(each)
    await openForm(each)
    const [first = ''] = valuesOf(each) ?? []
    await typeInto(field, first)
    page.change({ rev: 9 })
    page.server.on(save, ({ rev }) => (Number(rev) === 9 ? ok(buildSample(save.result)) : CONFLICT))
    submitForm()
    await waitUntil(isClosed)
    expect(page.server.inputsOf(save).map(({ rev }) => Number(rev))).toEqual([3, 9])
  })
})

const CONFLICT = refusal(400, '数据已被他人修改', {
  conflict: { by: '张三', isOwn: false, at: '2030-01-01 10:00:00', rev: 9 },
})
function sentShape({ save }: FormCase) {
  return 'shape' in save.input ? (save.input.shape as object) : {}
}

const SOURCES = import.meta.glob<string>('../../src/modules/**/*.tsx', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const HOOK = /= use(?:FormModal|FormDrawer|SaveForm|PageForm|BatchForm)\(/g

test('the test cases contain every record form of the console', () => {
  const formsIn = Object.entries(SOURCES).flatMap(([path, source]) => {
    const count = source.match(HOOK)?.length ?? 0
    return count > 0 ? [[path.replace('../../src/modules/', ''), count] as const] : []
  })
  const casesOf = (file: string) => CASES.filter((each) => each.file === file).length
  expect(formsIn.length).toBeGreaterThan(30)
  expect(formsIn.filter(([file, count]) => casesOf(file) < count)).toEqual([])
})
