import { expect, test } from 'vitest'
import { parseToolName, parseToolParts } from './tool-parts.ts'

test('the parser reads the tool call and the tool result that a voice server reports', () => {
  const call = parseToolParts('[{"type":"tool","text":"get_weather({\\"location\\": \\"杭州\\"})"}]')
  expect(call).toEqual([{ isResult: false, text: 'get_weather({"location": "杭州"})' }])
  expect(parseToolName(call)).toBe('get_weather')
  const result = parseToolParts('[{"type":"tool_result","text":"{\\"result\\": \\"晴，25 度\\"}"}]')
  expect(result).toEqual([{ isResult: true, text: '晴，25 度' }])
  expect(parseToolName(result)).toBe('')
})

test('the parser returns content in another format as one tool call with the complete text', () => {
  for (const content of ['play_music 晴天', '{"type":"tool"}', '[1,2]', '[{"type":"other","text":"x"}]', 'null', '5'])
    expect(parseToolParts(content)).toEqual([{ isResult: false, text: content }])
  expect(parseToolParts('{"type":"tool","text":"self.reboot"}')).toEqual([{ isResult: false, text: 'self.reboot' }])
  expect(parseToolName(parseToolParts('play_music 晴天'))).toBe('play_music')
})
