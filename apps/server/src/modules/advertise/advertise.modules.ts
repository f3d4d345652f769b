import { ads } from '@oms/contract/advertise/ad.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { audit } from './ads/ad-audit.service.ts'
import { get, list } from './ads/ad-rows.ts'
import { create, disable, enable, remove, update } from './ads/ad-save.service.ts'
import { preview } from './ads/package-preview.ts'
import { submit, withdraw } from './ads/ad-submit.service.ts'
import { getProbeResult, upload } from './ads/ad-upload.service.ts'
import { listVersions } from './ads/ad-versions.service.ts'

const adModule = implement(
  ads,
  {
    list,
    get,
    versions: listVersions,
    preview,
    create,
    update,
    remove,
    upload,
    probe: getProbeResult,
    submit,
    withdraw,
    audit,
    enable,
    disable,
  },
  { outsideTransaction: ['upload'] },
)

/** Modules of advertising. */
export const advertiseModules: readonly Module[] = [adModule]
