import { deviceModels } from '@oms/contract/device-model.ts'
import { implement } from '#kernel/implement.ts'
import { choices, quickCreate, typeChoices } from './device-model.service.ts'

export const deviceModelModule = implement(deviceModels, { choices, typeChoices, quickCreate })
