import { programOptions } from '@oms/contract/advertise/program-options.ts'
import { afterEach, expect, test, vi } from 'vitest'
import { createContractServer } from '#test/form-cases/contract-server.ts'
import { waitUntil } from '#test/form-cases/page-driver.ts'
import { AdLibrary } from '#modules/advertise/ads/ad-library.tsx'
import { ProgramName } from '#modules/advertise/programs/program-cells.tsx'
import { ok, openTab } from '../browser-harness.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

const isCut = (element: Element | null | undefined) =>
  !element || element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight

/** Width of the column of the programs, and of the library of the editor, in a window of 1280 pixels. */
const NAME_PX = 160
const LIBRARY_PX = 230

test('the list shows the complete name of a copied program beside the tag', async () => {
  const row = { programName: '门店早间轮播 冬季 副本', isDefault: 0, insertMode: 1 } as const
  tab = openTab(
    <div style={{ width: NAME_PX }}>
      <ProgramName row={row} />
    </div>,
  )
  const name = () => document.querySelector('.ad-name .kit-ellipsis')
  await waitUntil(() => expect(name()?.textContent).toBe(row.programName))
  expect(isCut(name())).toBe(false)
})

test('the list of selectable ads shows the advertiser of an ad on a separate line', async () => {
  const server = createContractServer((fetch) => vi.stubGlobal('fetch', fetch))
  const ad = {
    id: 1,
    adName: '早餐组合 第二杯半价',
    adType: 1,
    orientation: 0,
    duration: 75,
    thumbUrl: '',
    codec: '',
    validTo: null,
  }
  const list = [{ ...ad, advertiser: '春风茶饮公司' }]
  server.on(programOptions.ads, () => ok({ list, total: 1, pageNum: 1, pageSize: 20 }))
  tab = openTab(
    <div style={{ width: LIBRARY_PX }}>
      <AdLibrary tenantId={1} onAdd={() => {}} onDrag={() => {}} />
    </div>,
  )
  const lines = () => [...document.querySelectorAll('.ad-offer-text > *')]
  await waitUntil(() => expect(lines().map(({ textContent }) => textContent)).toContain('春风茶饮公司'))
  expect(lines().filter(isCut)).toEqual([])
})
