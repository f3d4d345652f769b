import { tenant } from '@oms/contract/tenant/tenant.ts'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { buildSample } from '#test/form-cases/contract-server.ts'
import { KnownPagesProvider } from '#core/routing/known-pages.ts'
import TenantOverviewPage from '#modules/tenant/tenant-overview.page.tsx'
import { ok } from './browser-harness.tsx'
import { useContractPage } from './contract-page.tsx'

const start = useContractPage()
const BLOCKS = { licenses: '授权', storage: '云存储', devices: '设备', logins: '登录' }

test('the page of a new customer offers the next steps, and a block without data is one line', async () => {
  const server = start(
    <KnownPagesProvider value={() => true}>
      <TenantOverviewPage />
    </KnownPagesProvider>,
  )
  server.on(tenant.overview, () =>
    ok({
      ...(buildSample(tenant.overview.result) as { tenant: object }),
      blocks: Object.entries(BLOCKS).map(([key, title]) => ({ key, title })),
    }),
  )
  server.on(tenant.overviewBlock, ({ block }) =>
    ok({
      key: block,
      title: BLOCKS[block as keyof typeof BLOCKS],
      figures: [{ label: '总数', value: block === 'licenses' ? 5 : 0 }],
      bars: [],
      rows: [],
      url: '',
    }),
  )
  const steps = page.getByRole('list').filter({ hasText: '导入设备' })
  await expect.element(steps).toBeVisible()
  expect(
    steps
      .getByRole('listitem')
      .elements()
      .map(({ textContent }) => textContent),
  ).toEqual(['申请授权', '2开通云存', '3导入设备'])
  await expect.element(page.getByRole('region', { name: '设备' })).toHaveTextContent('设备还没有设备导入设备')
  await expect.element(page.getByRole('region', { name: '登录' })).toHaveTextContent('登录暂无数据')
  await expect.element(page.getByRole('region', { name: '授权', exact: true })).toHaveTextContent('授权总数5')
})
