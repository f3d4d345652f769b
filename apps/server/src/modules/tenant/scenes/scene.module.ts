import { scene } from '@oms/contract/tenant/scene.ts'
import { implement } from '#core/http/implement.ts'
import { getScene, listScenes, getScenePermissionTree, listSceneTenants } from './scene-list.ts'
import { createScene, disableScene, enableScene, removeScene, syncSceneTenants, updateScene } from './scene-save.ts'

export const sceneModule = implement(scene, {
  list: listScenes,
  get: getScene,
  create: createScene,
  update: updateScene,
  remove: removeScene,
  enable: enableScene,
  disable: disableScene,
  sync: syncSceneTenants,
  permTree: getScenePermissionTree,
  tenants: listSceneTenants,
})
