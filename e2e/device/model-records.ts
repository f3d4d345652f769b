import { type Api, fresh } from '../support/people.ts'

/** Creates a model for new devices and returns its code. */
export async function modelOf(api: Api) {
  const code = fresh('M')
  const model = { modelName: `型号${code}`, modelCode: code, typeName: `类型${code}`, typeCode: `t-${code}` }
  const { modelId } = await api.call<{ modelId: number }>('POST', '/api/v1/device/model/quick', model)
  return { code, modelId, modelName: model.modelName }
}
