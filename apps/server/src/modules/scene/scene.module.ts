import { scene } from '@oms/contract/scene/scene.ts'
import { implement } from '#core/http/implement.ts'
import { impact } from './scene-impact.service.ts'
import { deviceTypes, get, list, permTree, sceneTenants } from './scene-list.service.ts'
import { create, disable, enable, remove, sync, update } from './scene-save.service.ts'

export const sceneModule = implement(scene, {
  list,
  get,
  create,
  update,
  remove,
  enable,
  disable,
  sync,
  impact,
  permTree,
  deviceTypes,
  tenants: sceneTenants,
})
