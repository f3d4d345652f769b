import { expect, test } from 'vitest'
import { AgentInput } from './agent-input.ts'

const { langCode } = AgentInput.shape

test('a language code is empty or has a language, with optional script and region', () => {
  for (const code of ['zh', 'en-US', 'zh-Hans-CN', '']) expect(langCode.parse(code)).toBe(code)
  for (const code of ['中文x!', 'e', 'en_US', 'en-'])
    expect(langCode.safeParse(code).error?.issues.map(({ message }) => message)).toEqual([
      '语言代码应为 zh、en-US 这样的代码',
    ])
})
