// Reads a GLB with three's own loader and prints what it holds: node web/test/render/read_glb.js FILE
//
// Node has no pictures, so the palette of light stays unread; the loader then leaves the material without it.
import { readFile } from 'node:fs/promises';
import { argv, stdout } from 'node:process';
import { Box3, Vector3 } from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

globalThis.self = globalThis;
globalThis.createImageBitmap = async () => ({ width: 1, height: 1, close() {} });

const bytes = await readFile(argv[2]);
const data = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
const gltf = await new GLTFLoader().parseAsync(data, '');
gltf.scene.updateMatrixWorld(true);

const box = new Box3();
const point = new Vector3();
const names = [];
const strengths = new Set();
let triangles = 0;
let colored = 0;
gltf.scene.traverse((object) => {
  if (!object.isMesh) return;
  const { geometry, material } = object;
  names.push(object.userData.name ?? object.name);
  triangles += (geometry.index ? geometry.index.count : geometry.attributes.position.count) / 3;
  if (geometry.attributes.color) colored += 1;
  if (material.emissiveMap) strengths.add(material.emissiveIntensity);
  const at = geometry.attributes.position;
  for (let i = 0; i < at.count; i += 1) box.expandByPoint(point.fromBufferAttribute(at, i).applyMatrix4(object.matrixWorld));
});

const cameras = gltf.cameras.map((camera) => ({ fov: camera.fov, eye: camera.getWorldPosition(new Vector3()).toArray() }));
const answer = { triangles, meshes: names.length, colored, names, strengths: [...strengths], cameras };
stdout.write(JSON.stringify({ ...answer, bounds: [box.min.toArray(), box.max.toArray()] }));
