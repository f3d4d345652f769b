import { playbackApp, playbackStream } from '@oms/contract/playback/app.ts'
import { appKeys } from '@oms/contract/playback/app-key.ts'
import { playbackConsents } from '@oms/contract/playback/consent.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { views as appViews, consent, consentList, withdraw as withdrawOwn } from './app-consent.service.ts'
import { days, deviceList, play, remove as removeRecordings, setSwitch, timeline } from './app-device.service.ts'
import { events } from './app-event.service.ts'
import { create, disable, enable, get, list, remove, rotate, update } from './app-key.service.ts'
import { session } from './app-session.ts'
import { create as createConsent, list as listConsents, withdraw } from './consent.service.ts'
import { sendPlayFile } from './play-stream.ts'
import { times } from './consented-times.ts'
import { view, views } from './view.service.ts'

const appKeyModule = implement(appKeys, { list, get, create, update, rotate, enable, disable, remove })
const consentModule = implement(playbackConsents, {
  list: listConsents,
  create: createConsent,
  withdraw,
  times,
  view,
  views,
})
const appModule = implement(playbackApp, {
  session,
  devices: deviceList,
  days,
  timeline,
  events,
  play,
  remove: removeRecordings,
  switch: setSwitch,
  consents: consentList,
  consent,
  withdraw: withdrawOwn,
  views: appViews,
})
const streamModule = implement(playbackStream, { file: sendPlayFile })

export const playbackModules: readonly Module[] = [appKeyModule, consentModule, appModule, streamModule]
