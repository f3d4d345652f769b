import { ads } from '@oms/contract/advertise/ad.ts'
import { implement, type Module } from '#core/http/implement.ts'
import { reviewAd } from './ads/ad-audit.ts'
import { getAd, listAds } from './ads/ad-rows.ts'
import { createAd, disableAd, enableAd, removeAd, updateAd } from './ads/ad-save.ts'
import { previewAdPackage } from './ads/package-preview.ts'
import { submitAd, withdrawAd } from './ads/ad-submit.ts'
import { getProbeResult, uploadMaterial } from './ads/ad-upload.ts'
import { listVersions } from './ads/ad-versions.ts'

const adModule = implement(
  ads,
  {
    list: listAds,
    get: getAd,
    versions: listVersions,
    preview: previewAdPackage,
    create: createAd,
    update: updateAd,
    remove: removeAd,
    upload: uploadMaterial,
    probe: getProbeResult,
    submit: submitAd,
    withdraw: withdrawAd,
    audit: reviewAd,
    enable: enableAd,
    disable: disableAd,
  },
  { outsideTransaction: ['upload'] },
)

/** Modules of advertising. */
export const advertiseModules: readonly Module[] = [adModule]
