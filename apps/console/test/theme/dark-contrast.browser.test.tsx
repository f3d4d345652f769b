import { Button, Radio, Switch } from 'antd'
import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import loginPage from '../../login.html?raw'
import { openTab } from '../browser-harness.tsx'
import '#app/console.css'
import '#kit/kit.css'

/** Contrast that WCAG 2 (AA) demands of text. */
const MINIMUM = 4.5
const STATES = [':hover', ':active', ':focus-visible'] as const
let added: HTMLStyleElement | undefined
let tab: ReturnType<typeof openTab> | undefined

afterEach(() => {
  added?.remove()
  tab?.close()
  delete document.documentElement.dataset['theme']
})

/**
 * Adds each rule of the page again with classes in place of `:hover`, `:active` and `:focus-visible`, because a test
 * cannot set these states. A class has the same specificity as a pseudo-class.
 */
function copyStateRules() {
  const texts = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText))
  added = document.head.appendChild(document.createElement('style'))
  added.textContent = texts.join('\n').replaceAll(/:(hover|active|focus-visible)(?![-\w])/g, '.state-$1')
}

/** Returns the channels of a computed colour. */
const channelsOf = (color: string) => (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)
function luminanceOf(color: string) {
  const linear = channelsOf(color).map((value) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  const [red = 0, green = 0, blue = 0] = linear
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
function contrastOf(text: string, background: string) {
  const [light = 0, dark = 0] = [luminanceOf(text), luminanceOf(background)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

/** Returns the contrast of white text on an element in the normal state and in each of `STATES`. */
function contrastsOf(element: Element) {
  return ['', ...STATES].map((state) => {
    const name = state.replace(':', 'state-')
    if (name) element.classList.add(name)
    const { backgroundColor } = getComputedStyle(element)
    if (name) element.classList.remove(name)
    return [state || 'normal', contrastOf('rgb(255, 255, 255)', backgroundColor)] as const
  })
}

const Controls = () => (
  <>
    <Button type="primary">新增</Button>
    <Button type="primary" danger>
      删除
    </Button>
    <Switch checked checkedChildren="启用" />
    <Radio.Group optionType="button" buttonStyle="solid" value={1} options={[{ value: 1, label: '分析' }]} />
    <button type="button" className="action action-primary">
      重新登录
    </button>
  </>
)

test('white text has enough contrast on filled controls of the dark theme in every state', async () => {
  document.documentElement.dataset['theme'] = 'dark'
  const still = document.head.appendChild(document.createElement('style'))
  still.textContent = '* { transition: none !important }'
  tab = openTab(<Controls />)
  await expect.element(page.getByRole('button', { name: /新.*增/ })).toBeVisible()
  copyStateRules()
  const controls = document.querySelectorAll(
    '#root :is(.ant-btn, .ant-switch, .ant-radio-button-wrapper-checked, .action)',
  )
  expect(controls).toHaveLength(5)
  for (const control of controls)
    for (const [state, contrast] of contrastsOf(control))
      expect(contrast, `${control.className} ${state}`).toBeGreaterThanOrEqual(MINIMUM)
  // Proves that the copied rules apply: the hover colour differs from the normal colour.
  const [[, normal] = ['', 0], [, hovered] = ['', 0]] = contrastsOf(controls[0] as Element)
  expect(hovered).not.toBe(normal)
  still.remove()
})

test('white text has enough contrast on the sign-in button of both themes', () => {
  const colors = [...loginPage.matchAll(/--brand(?:-hover)?: (#[0-9a-f]{6})/g)].map(([, color = '']) => color)
  expect(colors).toHaveLength(6)
  const rgb = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)).join(' ')
  for (const color of colors) expect(contrastOf('255 255 255', rgb(color)), color).toBeGreaterThanOrEqual(MINIMUM)
})
