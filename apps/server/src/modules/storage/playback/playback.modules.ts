import { playbackApp, playbackStream } from '@oms/contract/storage/app.ts'
import { appKeys } from '@oms/contract/storage/app-key.ts'
import { playbackConsents } from '@oms/contract/storage/consent.ts'
import { implement, type Module } from '#core/http/implement.ts'
import {
  listAppViews as appViews,
  createAppConsent,
  listAppConsents,
  withdrawAppConsent as withdrawOwn,
} from './app-consent.ts'
import {
  listRecordedDays,
  listAppDevices,
  playRecording,
  removeRecordings,
  setRecordingSwitch,
  getTimeline,
} from './app-device.ts'
import { listVideoEvents } from './app-event.ts'
import { listAppPictures } from './app-picture.ts'
import {
  createAppKey,
  disableAppKey,
  enableAppKey,
  getAppKey,
  listAppKeys,
  removeAppKey,
  rotateAppKey,
  updateAppKey,
} from './app-key.ts'
import { createAppSession } from './app-session.ts'
import { createConsent, listConsents, withdrawConsent } from './consent.ts'
import { sendPlayFile } from './play-stream.ts'
import { listConsentedTimes } from './consented-times.ts'
import { viewRecording, listViews } from './view.ts'

const appKeyModule = implement(appKeys, {
  list: listAppKeys,
  get: getAppKey,
  create: createAppKey,
  update: updateAppKey,
  rotate: rotateAppKey,
  enable: enableAppKey,
  disable: disableAppKey,
  remove: removeAppKey,
})
const consentModule = implement(playbackConsents, {
  list: listConsents,
  create: createConsent,
  withdraw: withdrawConsent,
  times: listConsentedTimes,
  view: viewRecording,
  views: listViews,
})
const appModule = implement(playbackApp, {
  session: createAppSession,
  devices: listAppDevices,
  days: listRecordedDays,
  timeline: getTimeline,
  events: listVideoEvents,
  pictures: listAppPictures,
  play: playRecording,
  remove: removeRecordings,
  switch: setRecordingSwitch,
  consents: listAppConsents,
  consent: createAppConsent,
  withdraw: withdrawOwn,
  views: appViews,
})
const streamModule = implement(playbackStream, { file: sendPlayFile })

export const playbackModules: readonly Module[] = [appKeyModule, consentModule, appModule, streamModule]
