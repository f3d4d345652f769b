import { expect, test } from 'vitest'
import { ParameterValues } from '../parameter-values.ts'
import { toServerPlugins } from './agent-facts.ts'

test('the HomeAssistant plugin is sent under the names of new and old voice servers, with an empty key when no key is set', () => {
  const params = { base_url: 'http://ha:8123', devices: '客厅,灯,switch.lamp' }
  const plugins = toServerPlugins(
    [
      { providerCode: 'hass_state', params },
      { providerCode: 'play_music', params: null },
    ],
    new ParameterValues(undefined, new Map()),
  )
  const handed = { ...params, api_key: '' }
  expect(plugins).toEqual([
    { providerCode: 'hass_state', params: handed },
    { providerCode: 'hass_get_state', params: handed },
    { providerCode: 'hass_set_state', params: handed },
    { providerCode: 'play_music', params: null },
  ])
})
