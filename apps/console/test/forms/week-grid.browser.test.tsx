import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { page } from 'vitest/browser'
import { openTab } from '#test/browser-harness.tsx'
import '#modules/advertise/programs/program.css'
import { type DayPart, DayParts } from '#modules/advertise/timeline/day-parts.tsx'

let tab: ReturnType<typeof openTab> | undefined
afterEach(() => {
  tab?.close()
  tab = undefined
})

function Form() {
  const [parts, setParts] = useState<readonly DayPart[]>([])
  return (
    <div style={{ width: 400 }}>
      <DayParts weekdays={127} value={parts} onChange={setParts} />
      <output>{parts.map(({ start, end }) => `${start}-${end}`).join(' ')}</output>
    </div>
  )
}

/** Drags the pointer from one hour to another in the row of a weekday; 0 is Monday. */
async function draw(fromHour: number, toHour: number, day: number) {
  const area = await vi.waitUntil(() => document.querySelector<HTMLElement>('.ad-week-area'))
  // A synthetic event has no active pointer, so the real function would throw.
  area.setPointerCapture = () => {}
  const { left, top, width, height } = area.getBoundingClientRect()
  const point = async (type: string, hour: number) => {
    const at = { clientX: left + (hour / 24) * width, clientY: top + ((day + 0.5) / 7) * height }
    area.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, pointerId: 1, ...at }))
    // Waits until React has rendered the state after the event.
    await new Promise(requestAnimationFrame)
  }
  await point('pointerdown', fromHour)
  await point('pointermove', (fromHour + toHour) / 2)
  await point('pointermove', toHour)
  await point('pointerup', toHour)
}
const parts = page.getByRole('status')

test('AD-04 dragging on the week grid in either direction adds a daypart in steps of 30 minutes', async () => {
  tab = openTab(<Form />)
  await expect.element(page.getByText('未设置时段，全天播放')).toBeVisible()
  await draw(8, 10.02, 0)
  await expect.element(parts).toHaveTextContent('08:00-10:00')
  await expect.element(page.getByLabelText('时段 1 开始')).toHaveValue('08:00')
  await draw(18, 15.5, 3)
  await expect.element(parts).toHaveTextContent('08:00-10:00 15:30-18:00')
  await draw(20, 23.99, 6)
  await expect.element(parts).toHaveTextContent('08:00-10:00 15:30-18:00 20:00-24:00')
})

test('AD-04 a click on the week grid adds no daypart, and dragging adds no seventh daypart', async () => {
  tab = openTab(<Form />)
  await draw(8, 8, 0)
  await expect.element(parts).toHaveTextContent('')
  for (const hour of [0, 4, 8, 12, 16, 20]) await draw(hour, hour + 2, 1)
  await expect.poll(() => parts.element().textContent).toMatch(/20:00-22:00$/)
  await draw(2, 3, 1)
  expect(document.querySelectorAll('.ad-parts li')).toHaveLength(6)
})
