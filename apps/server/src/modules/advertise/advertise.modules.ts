import { ads } from '@oms/contract/advertise/ad.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { audit } from './ad-audit.service.ts'
import { get, list } from './ad-rows.ts'
import { create, disable, enable, remove, update } from './ad-save.service.ts'
import { preview } from './package-preview.ts'
import { submit, withdraw } from './ad-submit.service.ts'
import { probe, upload } from './ad-upload.service.ts'
import { versions } from './ad-versions.service.ts'

const adModule = implement(
  ads,
  { list, get, versions, preview, create, update, remove, upload, probe, submit, withdraw, audit, enable, disable },
  { outsideTransaction: ['upload'] },
)

/** Modules of advertising. */
export const advertiseModules: readonly Module[] = [adModule]
