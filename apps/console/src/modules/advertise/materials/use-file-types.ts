import { type AdFilePurpose, findTypeOfFile, MATERIAL_PURPOSE } from '@oms/contract/advertise/ad-rules.ts'
import { useAdTypes } from '../ads/ad-cells.tsx'

/** Returns functions for files that belong to another type of ad. `onType` changes the type, unless the type is fixed. */
export function useFileTypes(purpose: AdFilePurpose, onType: ((adType: number) => void) | undefined) {
  const { label } = useAdTypes()
  return {
    /** Changes the type of an ad without files to the common type of the files. Returns the purpose for the files. */
    adoptType: (files: readonly File[]): AdFilePurpose => {
      const [adType, ...others] = new Set(files.map(({ name }) => findTypeOfFile(name)))
      const fitting = adType !== undefined && others.length === 0 ? MATERIAL_PURPOSE[adType] : undefined
      if (!onType || adType === undefined || fitting === undefined || fitting === purpose) return purpose
      onType(adType)
      return fitting
    },
    /** Returns which type fits a file that has no place under this purpose; undefined when no other type fits. */
    describeFittingType: ({ name }: File, chosen: AdFilePurpose): string | undefined => {
      const adType = findTypeOfFile(name)
      if (adType === undefined || MATERIAL_PURPOSE[adType] === chosen) return undefined
      const type = label(adType)
      return onType ? `该文件是${type}，请先选择类型「${type}」` : `该文件是${type}，请新增类型为「${type}」的广告`
    },
  }
}
