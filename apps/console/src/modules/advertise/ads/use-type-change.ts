import { MATERIAL_PURPOSE } from '@oms/contract/advertise/ad-rules.ts'
import type { FormInstance } from 'antd'
import { useRef } from 'react'
import type { SentMaterial } from '../materials/use-material-uploads.ts'

type Materials = readonly SentMaterial[]

/**
 * Keeps one list of files for each type of a new ad. A change of the type shows the files of the new type, and the files
 * of the former type return with that type.
 */
export function useTypeChange(form: FormInstance, initialType: number) {
  const filesByType = useRef<Record<number, Materials>>({})
  const shown = useRef(initialType)
  const onTypeChanged = (adType: number | undefined) => {
    if (adType === undefined || adType === shown.current) return
    if (MATERIAL_PURPOSE[shown.current])
      filesByType.current[shown.current] = (form.getFieldValue('materials') as Materials | undefined) ?? []
    shown.current = adType
    form.setFieldValue('materials', filesByType.current[adType] ?? [])
  }
  return {
    onTypeChanged,
    /** Sets the type and shows its files. */
    setType: (adType: number) => {
      form.setFieldValue('adType', adType)
      onTypeChanged(adType)
    },
  }
}
