import { adScreens } from '@oms/contract/advertise/screen.ts'
import { implement } from '#core/http/implement.ts'
import { createSmilKey, pairScreen, unpairScreen, updateScreen } from './screen.ts'
import { listDeviceOptions } from './screen-options.ts'
import { getScreen, listScreens } from './screen-rows.ts'

export const adScreenModule = implement(adScreens, {
  list: listScreens,
  get: getScreen,
  devices: listDeviceOptions,
  update: updateScreen,
  pair: pairScreen,
  unpair: unpairScreen,
  smilKey: createSmilKey,
})
