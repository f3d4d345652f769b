import { expect, test } from '../support/fixtures.ts'
import { connected } from '../support/fleet.ts'
import { fresh } from '../support/people.ts'

const RIGHTS = ['agent:order:list', 'agent:order:query', 'agent:agent:query', 'agent:agent:list']
const TITLES = { sessions: '对话次数', minutes: '语音分钟', tokens: 'Token', deviceDays: '设备天数' } as const

/** Adds use of today without a device, as a transaction of the server appends it. */
async function addUse() {
  const client = await connected()
  await client.query(`insert into agent_usage (day, tenant_id, agent_id, device_id, model_id, source, unit, n, cost)
    select current_date, 1, 0, 0, 0, 1, unit, n, cost
    from (values (1, 3, 0), (2, 1234, 0), (5, 90, 0), (7, 5600, 250)) as u (unit, n, cost)`)
  await client.end()
}

test('AGENT-15 usage, income and cost on the home page equal the page that each figure opens', async ({
  page,
  login,
  staff,
  accessible,
}) => {
  test.setTimeout(400_000)
  await addUse()
  await login(await staff(RIGHTS, fresh('运营')))
  await page.goto('/indexScreen')
  const usage = page.getByRole('region', { name: '近 30 天语音用量' })
  const income = page.getByRole('region', { name: '近 30 天语音收入' })
  await expect(usage.locator('.kit-tile-figure b')).toHaveText(/\d/)
  await expect(income.locator('.kit-tile-figure b')).toHaveText(/¥/)
  await accessible()
  // Other journeys add use at the same time, so an unequal pair is read again.
  for (const title of Object.values(TITLES))
    await expect(async () => {
      await page.goto('/indexScreen')
      const link = usage.getByRole('link', { name: new RegExp(`^${title} `) })
      const shown = ((await link.textContent()) ?? '').replace(`${title} `, '')
      await link.click()
      await expect(page).toHaveURL(/\/agent\/order\?view=usage/)
      // A measure without use shows a sentence in place of the sum.
      const sum = page.locator('.kit-sum b')
      const total = shown === '0' ? page.getByText(`这段时间没有${title}`) : sum.getByText(shown, { exact: true })
      await expect(total).toBeVisible({ timeout: 20_000 })
    }).toPass({ timeout: 100_000 })
  await expect(async () => {
    await page.goto('/indexScreen')
    await expect(usage.locator('.kit-tile-figure b')).toHaveText(/\d/)
    const turns = (await usage.locator('.kit-tile-figure b').textContent()) ?? ''
    await usage.getByRole('link', { name: '近 30 天语音用量' }).click()
    await expect(page.locator('.kit-sum b')).toHaveText(turns, { timeout: 20_000 })
  }).toPass({ timeout: 100_000 })
  await expect(async () => {
    await page.goto('/indexScreen')
    await expect(income.locator('.kit-tile-figure b')).toHaveText(/¥/)
    const total = await income.locator('.kit-tile-figure b').textContent()
    const [, ...amounts] = await income.getByRole('link').allTextContents()
    await income.getByRole('link', { name: /^成本/ }).click()
    const sums = page.getByRole('region', { name: '收入与成本' }).locator('dl')
    await expect(sums).toContainText(`收入${total}`, { timeout: 20_000 })
    for (const amount of amounts) await expect(sums).toContainText(amount.replace(' ', ''), { timeout: 20_000 })
  }).toPass({ timeout: 100_000 })
})
